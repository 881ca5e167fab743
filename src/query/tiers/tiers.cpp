// One pass over each thread: its paths with their activations, and the rows of its values and
// addresses. Labels collect per node and per edge, and are measured when memory gets short and at
// the thread's end.
#include "vestige/tiers.h"

#include <algorithm>
#include <mutex>

#include "codec/groups/selected_stream.h"
#include "codec/groups/value_groups.h"
#include "query/row_source.h"
#include "query/slice/path_steps.h"
#include "query/tiers/edge_labels.h"
#include "query/tiers/node_shape.h"
#include "trace/parallel.h"
#include "vestige/values.h"

namespace vestige {

namespace {

struct Node {
  NodeShape shape;
  uint32_t instances = 0;
  uint64_t executions = 0;  // since labels were last measured
  std::vector<uint64_t> times;
  std::vector<ValueGroupEncoder> groups;
  std::vector<uint32_t> use_hints, memory_hints;
  std::vector<std::vector<uint64_t>> rows;  // per group, of the execution at hand
};

// What an activation executed last of what its later paths may need.
struct Frame {
  const FunctionExports* exports = nullptr;
  std::vector<LabelPlace> statements;
  struct Decision {
    LabelPlace place;
    uint64_t time = 0;
  };
  std::vector<Decision> blocks;
  LabelPlace call;  // that entered it
  LabelPlace last;  // path: its last statement
};

uint64_t pattern_bytes(uint64_t combinations) {
  return combinations <= 1 << 8 ? 1 : combinations <= 1 << 16 ? 2 : 4;
}

class ThreadTiers {
 public:
  ThreadTiers(const Trace& trace, const Windows& windows, uint32_t thread, const CallNames& names,
              const StatementSet& set, const TierOptions& options, TierReport& report)
      : trace_(trace),
        windows_(windows),
        thread_(thread),
        names_(names),
        set_(set),
        options_(options),
        report_(report),
        shapes_(trace),
        writers_(options.most_memory),
        exports_(trace.functions().size()) {}

  Result<void> run(uint64_t done, uint64_t total) {
    auto steps = PathSteps::open(trace_, thread_, names_);
    if (!steps) return std::unexpected(std::move(steps.error()));
    auto source = open_rows(trace_, windows_, set_, {.thread = thread_});
    if (!source) return std::unexpected(std::move(source.error()));
    std::vector<Observation> rows, mine;
    size_t at = 0;
    bool more = true;
    PathStep step;
    for (uint64_t count = 0;; ++count) {
      const auto next = steps->next(step);
      if (!next) return std::unexpected(next.error());
      if (!*next) break;
      mine.clear();
      while (true) {
        if (at == rows.size() && more) {
          rows.clear();
          at = 0;
          const auto read = (*source)->read(rows);
          if (!read) return std::unexpected(read.error());
          more = *read;
        }
        if (at == rows.size() || rows[at].time > step.time) break;
        if (rows[at].time == step.time) mine.push_back(rows[at]);
        ++at;
      }
      take(step, mine);
      if (count % 4096 == 0) {
        if (options_.progress) options_.progress(std::min(done + count, total), total);
        if (pending_ + edges_.bytes() > options_.most_memory) measure();
      }
    }
    measure();
    report_.nodes += nodes_.size();
    report_.forgotten_pages += writers_.forgotten();
    return {};
  }

 private:
  uint32_t node_of(const Path& path) {
    const auto [at, added] = numbers_.try_emplace(path.id, static_cast<uint32_t>(nodes_.size()));
    if (!added) return at->second;
    std::unique_ptr<FunctionExports>& exports = exports_[path.function];
    if (!exports)
      exports = std::make_unique<FunctionExports>(exports_of(trace_.functions()[path.function]));
    Node& node = nodes_.emplace_back();
    node.shape = node_shape(trace_, path, shapes_.of(path), *exports);
    for (const uint32_t columns : node.shape.group_columns) {
      node.groups.emplace_back(columns);
      node.rows.emplace_back(columns);
    }
    node.use_hints.resize(node.shape.uses.size());
    report_.groups += node.groups.size();
    return at->second;
  }

  void take(const PathStep& step, const std::vector<Observation>& rows) {
    const uint32_t number = node_of(*step.path);
    Node& node = nodes_[number];
    const uint32_t instance = ++node.instances;
    ++node.executions;
    node.times.push_back(step.time);
    pending_ += 12;
    ++report_.paths;
    report_.statements += step.path->statements;
    report_.times.original += 4 * step.path->statements;
    report_.values.original += node.shape.value_bytes;
    report_.dependences += node.shape.local;
    report_.inferred += node.shape.local;
    report_.control_dependences += node.shape.local_control;
    take_values(node, rows);
    Frame& frame = frame_of(step);
    take_uses(step, node, number, instance, frame);
    take_memory(node, number, instance, rows);
    for (const auto& [slot, statement] : node.shape.statements)
      frame.statements[slot] = {number, instance, statement};
    for (const auto& [slot, statement] : node.shape.blocks)
      frame.blocks[slot] = {{number, instance, statement}, step.time};
    const Function& function = trace_.functions()[step.path->function];
    const uint32_t stop = stopped_at(function, *step.path);
    frame.last = {number, instance, stop};
    last_ = {number, instance, shapes_last(function, *step.path)};
  }

  static uint32_t shapes_last(const Function& function, const Path& path) {
    const Segment& segment = function.segments[path.segments.back()];
    return segment.first_statement + std::max(segment.statement_count, 1u) - 1;
  }

  // The values as rows of their groups. Rows come in the order executed, as the shape's values do.
  void take_values(Node& node, const std::vector<Observation>& rows) {
    size_t at = 0;
    for (const NodeShape::Value& value : node.shape.values) {
      while (at < rows.size() && rows[at].statement != value.statement &&
             !upcoming(rows, at, value))
        ++at;
      const bool here = at < rows.size() && rows[at].statement == value.statement;
      const bool known = here && rows[at].has_value;
      report_.unknown_values += !known;
      node.rows[value.group][value.column] = known ? rows[at].value : 0;
      at += here;
    }
    for (size_t g = 0; g < node.groups.size(); ++g) {
      const size_t before = node.groups[g].bytes();
      node.groups[g].append(node.rows[g]);
      pending_ += node.groups[g].bytes() - before;
    }
  }
  // Whether this value's row is missing: then the rows that follow are of later values.
  static bool upcoming(const std::vector<Observation>& rows, size_t at,
                       const NodeShape::Value& value) {
    for (size_t i = at; i < rows.size(); ++i)
      if (rows[i].statement == value.statement) return false;
    return true;
  }

  Frame& frame_of(const PathStep& step) {
    if (step.kept < frames_.size()) frames_.resize(step.kept);
    frames_.resize(std::min<size_t>(frames_.size(), step.level + (step.path->enters ? 0 : 1)));
    const bool fresh = frames_.size() <= step.level;
    while (frames_.size() <= step.level) frames_.emplace_back();
    Frame& frame = frames_[step.level];
    const FunctionExports* exports = exports_[step.path->function].get();
    if (fresh || frame.exports != exports) {
      frame = {};
      frame.exports = exports;
      frame.statements.resize(exports->statement_count);
      frame.blocks.resize(exports->block_count);
      if (step.called) frame.call = step.tail_called ? last_ : frames_caller(step);
    }
    // The result of a call that came back, from what was returned.
    if (step.returned && frame.last.known() && frame.last.statement != kNone) {
      const Function& function = trace_.functions()[step.path->function];
      if (has_value(function, frame.last.statement))
        add(frame.last.node, frame.last.instance, frame.last.statement, last_, returned_hint_);
    }
    return frame;
  }
  LabelPlace frames_caller(const PathStep& step) const {
    return step.level > 0 ? frames_[step.level - 1].last : LabelPlace{};
  }

  void add(uint32_t node, uint32_t instance, uint32_t statement, const LabelPlace& of,
           uint32_t& hint) {
    ++report_.dependences;
    edges_.add(node, instance, statement, of, hint);
  }

  void take_uses(const PathStep& step, Node& node, uint32_t number, uint32_t instance,
                 Frame& frame) {
    using Kind = NodeShape::Use::Kind;
    const Function& function = trace_.functions()[step.path->function];
    for (size_t i = 0; i < node.shape.uses.size(); ++i) {
      const NodeShape::Use& use = node.shape.uses[i];
      LabelPlace of;
      switch (use.kind) {
        case Kind::statement:
          of = frame.statements[frame.exports->statements[use.of]];
          break;
        case Kind::argument:
          of = frame.call;
          break;
        case Kind::phi:
          of = phi_source(step, function, use.consumer, frame);
          break;
        case Kind::control: {
          uint64_t latest = 0;
          for (const uint32_t parent : function.blocks[use.of].control_parents) {
            const Frame::Decision& decision = frame.blocks[frame.exports->blocks[parent]];
            if (!decision.place.known() || decision.time < latest) continue;
            latest = decision.time;
            of = decision.place;
          }
          if (!of.known()) of = frame.call;
          report_.control_dependences += of.known();
          break;
        }
      }
      if (of.known() && of.statement != kNone)
        add(number, instance, use.consumer, of, node.use_hints[i]);
    }
  }

  static LabelPlace phi_source(const PathStep& step, const Function& function, uint32_t phi,
                               const Frame& frame) {
    if (!step.before) return {};
    const uint32_t from = function.segments[step.before->segments.back()].block;
    const Statement& s = function.statements[phi];
    for (size_t i = 0; i + 1 < s.operands.size(); i += 2) {
      if (s.operands[i + 1] != Operand{Operand::Kind::block, from}) continue;
      if (s.operands[i].kind == Operand::Kind::argument) return frame.call;
      if (s.operands[i].kind == Operand::Kind::statement)
        return frame.statements[frame.exports->statements[s.operands[i].index]];
      return {};
    }
    return {};
  }

  void take_memory(Node& node, uint32_t number, uint32_t instance,
                   const std::vector<Observation>& rows) {
    size_t reads = 0;
    for (const Observation& row : rows) {
      const Function& function = trace_.functions()[row.function];
      const Statement& s = function.statements[row.statement];
      // Library functions have addresses too; their memory is not looked at here.
      if (!has_address(function, row.statement) || (!row.has_address && !row.has_source)) continue;
      const bool block = s.op == Op::call;
      const uint64_t bytes =
          block ? (row.has_length ? row.length : 0) : referred_bytes(function, row.statement);
      const auto read = [&](uint64_t address) {
        if (node.memory_hints.size() <= reads) node.memory_hints.resize(reads + 1);
        uint32_t& hint = node.memory_hints[reads++];
        writers_.read(address, bytes, [&](const LabelPlace& writer) {
          ++report_.memory_dependences;
          add(number, instance, row.statement, writer, hint);
        });
      };
      if (block) {
        if (row.has_source) read(row.source);
      } else if (s.op != Op::store && row.has_address) {
        read(row.address);
      }
      if (s.op != Op::load && row.has_address)
        writers_.write(row.address, bytes, {number, instance, row.statement});
    }
  }

  void measure() {
    std::vector<uint64_t> executions;
    for (const Node& node : nodes_) executions.push_back(node.executions);
    std::mutex mutex;  // guards the report
    run_parallel(nodes_.size(), [&](size_t, size_t n) {
      Node& node = nodes_[n];
      if (node.executions == 0) return true;
      TierSizes times, values;
      ByteWriter out;
      const StreamCodec codec = encode_selected(node.times, out);
      times.tier1 = 4 * node.times.size();
      times.tier2 = out.size();
      for (size_t g = 0; g < node.groups.size(); ++g) {
        ValueGroupEncoder& group = node.groups[g];
        const uint64_t rows = group.rows(), combinations = group.combinations();
        const uint64_t row_bytes = node.shape.group_bytes[g];
        values.tier1 += std::min(rows * row_bytes,
                                 combinations * row_bytes + rows * pattern_bytes(combinations));
        values.tier2 += group.finish().size();
      }
      node.times = {};
      node.executions = 0;
      const std::lock_guard lock(mutex);
      ++report_.codecs[std::string(name_of(codec))];
      report_.times.tier1 += times.tier1;
      report_.times.tier2 += times.tier2;
      report_.values.tier1 += values.tier1;
      report_.values.tier2 += values.tier2;
      return true;
    });
    edges_.measure(executions, report_);
    pending_ = 0;
    ++report_.segments;
  }

  const Trace& trace_;
  const Windows& windows_;
  const uint32_t thread_;
  const CallNames& names_;
  const StatementSet& set_;
  const TierOptions& options_;
  TierReport& report_;
  PathShapes shapes_;
  LastWriters writers_;
  std::vector<std::unique_ptr<FunctionExports>> exports_;  // by function, when it first runs
  std::unordered_map<uint32_t, uint32_t> numbers_;         // by path id
  std::vector<Node> nodes_;
  std::vector<Frame> frames_;
  LabelPlace last_;  // of the path before: its last statement
  EdgeLabels edges_;
  uint32_t returned_hint_ = 0;
  size_t pending_ = 0;
};

}  // namespace

Result<TierReport> measure_tiers(const Trace& trace, const TierOptions& options) {
  auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(std::move(windows.error()));
  std::vector<StatementRef> statements = all_values(trace);
  for (const StatementRef& ref : all_addresses(trace)) statements.push_back(ref);
  const StatementSet set(trace, statements);
  const CallNames names(trace);
  uint64_t total = 0, done = 0;
  for (const ThreadInfo& thread : trace.threads()) total += thread.paths;
  TierReport report;
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    if (!windows->of(t).empty()) {
      ThreadTiers tiers(trace, *windows, t, names, set, options, report);
      if (auto run = tiers.run(done, total); !run) return std::unexpected(std::move(run.error()));
    }
    done += trace.threads()[t].paths;
  }
  report.edges.original = 8 * report.dependences;
  return report;
}

}  // namespace vestige
