// One pass over each thread: the blocks of its dependences, and the rows of its values. Labels
// collect per node and per edge, and are measured when memory gets short and at the thread's end.
#include "vestige/tiers.h"

#include <algorithm>
#include <mutex>

#include "codec/groups/selected_stream.h"
#include "codec/groups/value_groups.h"
#include "query/dependences/block_cursor.h"
#include "query/dependences/dependences.h"
#include "query/rows/row_source.h"
#include "query/tiers/edge_labels.h"
#include "query/wet/node_shape.h"
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
  std::vector<uint32_t> statements;  // by item
  std::vector<uint32_t> use_hints, memory_hints;
  std::vector<std::vector<uint64_t>> rows;  // per group, of the execution at hand
};

// What an activation executed last of what its later paths may need.
struct TierFrame {
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
  ThreadTiers(const Trace& trace, const Windows& windows, const DependenceReader& dependences,
              uint32_t thread, const CallNames& names, const StatementSet& set,
              const TierOptions& options, TierReport& report)
      : trace_(trace),
        windows_(windows),
        thread_(thread),
        set_(set),
        options_(options),
        report_(report),
        cursor_(trace, names, dependences, thread),
        exports_(trace.functions().size()) {}

  Result<void> run(uint64_t done, uint64_t total) {
    auto source = open_rows(trace_, windows_, set_, {.thread = thread_});
    if (!source) return std::unexpected(std::move(source.error()));
    std::vector<Observation> rows, mine;
    size_t at = 0;
    bool more = true;
    for (size_t block = 0; block < cursor_.places().size(); ++block) {
      if (auto gone = cursor_.go_to(block); !gone) return gone;
      for (size_t path = 0; path < cursor_.block().steps.size(); ++path) {
        const uint64_t time = cursor_.block().steps[path].time;
        mine.clear();
        while (true) {
          if (at == rows.size() && more) {
            rows.clear();
            at = 0;
            const auto read = (*source)->read(rows);
            if (!read) return std::unexpected(read.error());
            more = *read;
          }
          if (at == rows.size() || rows[at].time > time) break;
          if (rows[at].time == time) mine.push_back(rows[at]);
          ++at;
        }
        if (!take(path, mine)) return impossible_dependence();
      }
      done += cursor_.block().steps.size();
      if (options_.progress) options_.progress(std::min(done, total), total);
      if (pending_ + edges_.bytes() > options_.most_memory) measure();
    }
    measure();
    report_.nodes += nodes_.size();
    return {};
  }

 private:
  struct Execution {
    uint32_t node = 0, instance = 0;
  };

  uint32_t node_of(const Path& path, const PathShape& shape) {
    const auto [at, added] = numbers_.try_emplace(path.id, static_cast<uint32_t>(nodes_.size()));
    if (!added) return at->second;
    std::unique_ptr<FunctionExports>& exports = exports_[path.function];
    if (!exports)
      exports = std::make_unique<FunctionExports>(exports_of(trace_.functions()[path.function]));
    Node& node = nodes_.emplace_back();
    node.shape = node_shape(trace_, path, shape, *exports);
    for (const ShapeItem& item : shape.items) node.statements.push_back(item.statement);
    for (const uint32_t columns : node.shape.group_columns) {
      node.groups.emplace_back(columns);
      node.rows.emplace_back(columns);
    }
    node.use_hints.resize(node.shape.uses.size());
    report_.groups += node.groups.size();
    return at->second;
  }

  // False: the index says what cannot be.
  bool take(size_t path, const std::vector<Observation>& rows) {
    const PathStep& step = cursor_.block().steps[path];
    const uint32_t number = node_of(*step.path, *cursor_.block().shapes[path]);
    Node& node = nodes_[number];
    const uint32_t instance = ++node.instances;
    if (executions_.size() <= cursor_.number()) executions_.resize(cursor_.number() + 1);
    executions_[cursor_.number()].push_back({number, instance});
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
    TierFrame& frame = frame_of(step);
    take_uses(step, node, number, instance, frame);
    if (!take_effects(path, frame) || !take_memory(path, node, number, instance)) return false;
    for (const auto& [slot, statement] : node.shape.statements)
      frame.statements[slot] = {number, instance, statement};
    for (const auto& [slot, statement] : node.shape.blocks)
      frame.blocks[slot] = {{number, instance, statement}, step.time};
    const Function& function = trace_.functions()[step.path->function];
    const uint32_t stop = stopped_at(function, *step.path);
    frame.last = {number, instance, stop};
    last_ = {number, instance, shapes_last(function, *step.path)};
    return true;
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

  TierFrame& frame_of(const PathStep& step) {
    frames_.resize(std::min<size_t>(frames_.size(), step.level + (step.path->enters ? 0 : 1)));
    const bool fresh = frames_.size() <= step.level;
    while (frames_.size() <= step.level) frames_.emplace_back();
    TierFrame& frame = frames_[step.level];
    const FunctionExports* exports = exports_[step.path->function].get();
    if (fresh || frame.exports != exports || (!step.path->enters && !step.before)) {
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
                 TierFrame& frame) {
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
        case Kind::control:
          of = decision_on(function, use.of, frame);
          report_.control_dependences += of.known();
          break;
      }
      if (of.known() && of.statement != kNone)
        add(number, instance, use.consumer, of, node.use_hints[i]);
    }
  }

  static LabelPlace decision_on(const Function& function, uint32_t block, const TierFrame& frame) {
    if (block == kNone) return frame.call;
    LabelPlace of = frame.call;
    uint64_t latest = 0;
    for (const uint32_t parent : function.blocks[block].control_parents) {
      const TierFrame::Decision& decision = frame.blocks[frame.exports->blocks[parent]];
      if (!decision.place.known() || decision.time < latest) continue;
      latest = decision.time;
      of = decision.place;
    }
    const uint32_t round = function.blocks[block].round;
    if (round != kNone && frame.blocks[frame.exports->blocks[round]].time > latest)
      return decision_on(function, round, frame);
    return of;
  }

  static LabelPlace phi_source(const PathStep& step, const Function& function, uint32_t phi,
                               const TierFrame& frame) {
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

  bool take_memory(size_t path, Node& node, uint32_t number, uint32_t instance) {
    const DependenceBlock& block = cursor_.block();
    const PathShape& shape = *block.shapes[path];
    node.memory_hints.resize(shape.labels);
    for (const uint32_t i : shape.memory) {
      const ShapeItem& item = shape.items[i];
      if (item.label != kNone &&
          !add_read(block.label(path, item), {number, instance, item.statement},
                    node.memory_hints[item.label]))
        return false;
    }
    return true;
  }

  // What the unrecorded code that the activation called did: it counts as the call's.
  bool take_effects(size_t path, const TierFrame& frame) {
    const auto effects = cursor_.block().effects_of(path);
    if (effects.empty()) return true;
    const uint64_t time = cursor_.block().steps[path].time;
    effects_.emplace(time, frame.last);
    for (const CallEffect& effect : effects)
      if (effect.reads_memory() && !add_read(effect.label, frame.last, effect_hint_)) return false;
    return true;
  }

  // Each writer once for each run of bytes it wrote.
  bool add_read(Label label, const LabelPlace& reader, uint32_t& hint) {
    if (label.kind() != Label::Kind::parts) return add_writer(label, reader, hint);
    Label last = Label::nobody();
    for (uint64_t i = label.first_part();; ++i) {
      const LabelPart& part = cursor_.block().parts[i];
      // What another thread wrote is no edge: nodes are a thread's.
      if (!part.foreign() && part.label != last && !add_writer(part.label, reader, hint))
        return false;
      last = part.foreign() ? Label::nobody() : part.label;
      if (part.last) return true;
    }
  }

  bool add_writer(Label label, const LabelPlace& reader, uint32_t& hint) {
    if (label.kind() != Label::Kind::one) return true;
    const size_t block = cursor_.block_at(label.time());
    const uint64_t path = label.time() - cursor_.places()[block].first_time;
    if (block >= executions_.size() || path >= executions_[block].size()) return false;
    const Execution& execution = executions_[block][path];
    LabelPlace writer{execution.node, execution.instance, 0};
    const std::vector<uint32_t>& statements = nodes_[execution.node].statements;
    if (label.item() < statements.size()) {
      writer.statement = statements[label.item()];
    } else {
      const auto call = effects_.find(label.time());
      if (call == effects_.end()) return false;
      writer = call->second;
    }
    ++report_.memory_dependences;
    add(reader.node, reader.instance, reader.statement, writer, hint);
    return true;
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
  const StatementSet& set_;
  const TierOptions& options_;
  TierReport& report_;
  DependenceBlockCursor cursor_;
  std::vector<std::vector<Execution>> executions_;  // by block and path
  // Calls with effects, by the time they came back.
  std::unordered_map<uint64_t, LabelPlace> effects_;
  std::vector<std::unique_ptr<FunctionExports>> exports_;  // by function, when it first runs
  std::unordered_map<uint32_t, uint32_t> numbers_;         // by path id
  std::vector<Node> nodes_;
  std::vector<TierFrame> frames_;
  LabelPlace last_;  // of the path before: its last statement
  EdgeLabels edges_;
  uint32_t returned_hint_ = 0, effect_hint_ = 0;
  size_t pending_ = 0;
};

}  // namespace

Result<TierReport> measure_tiers(const Trace& trace, const TierOptions& options) {
  auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(std::move(windows.error()));
  const auto dependences = open_dependences(trace);
  if (!dependences) return std::unexpected(dependences.error());
  const StatementSet set(trace, all_values(trace));
  const CallNames names(trace);
  uint64_t total = 0, done = 0;
  for (const ThreadInfo& thread : trace.threads()) total += thread.paths;
  TierReport report;
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    if (!windows->of(t).empty()) {
      ThreadTiers tiers(trace, *windows, *dependences, t, names, set, options, report);
      if (auto run = tiers.run(done, total); !run) return std::unexpected(std::move(run.error()));
    }
    done += trace.threads()[t].paths;
  }
  report.edges.original = 8 * report.dependences;
  return report;
}

}  // namespace vestige
