#include "slice_twin.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "query/order/happens_before.h"
#include "query/rows/row_source.h"
#include "query/rows/transfer_source.h"
#include "trace/eval/event_feed.h"
#include "vestige/values.h"

namespace vestige {

namespace {
constexpr uint32_t kNobody = UINT32_MAX;
}

struct SliceTwin::Builder {
  struct Byte {
    uint32_t writer = kNobody;
    bool seen = false;
    uint8_t value = 0;
    // The writer's access.
    uint32_t thread = 0, segment = 0;
    bool atomic = false;
  };
  Builder(const Trace& trace, uint32_t thread, const races::HappensBefore& happens, SliceTwin& twin,
          std::unordered_map<uint64_t, Byte>& memory)
      : trace(trace), thread(thread), happens(happens), twin(twin), memory(memory) {}
  const Trace& trace;
  const uint32_t thread;
  const races::HappensBefore& happens;
  SliceTwin& twin;

  struct Branch {
    uint64_t order = 0;
    uint32_t node = kNobody;
  };
  struct Activation {
    uint32_t function = kNone;
    bool known = false;  // a path of it was seen
    uint32_t root = kNone;
    std::vector<uint32_t> results, arguments;
    std::vector<uint32_t> before;  // results when the block began: what its phis take
    uint32_t entry = kNobody;
    std::map<uint32_t, Branch> branches;
    std::map<uint32_t, uint32_t> controls;  // by block, when it last began
    uint32_t block = kNone;                 // the last one
    uint32_t terminator = kNobody, terminator_control = kNobody;
    bool terminator_chooses = false;
    // the call it stopped at
    uint32_t call = kNone, call_node = kNobody, call_result = kNobody;
    std::vector<uint32_t> call_arguments;
    uint64_t last_time = 0;
  };
  std::vector<Activation> stack;
  std::unordered_map<uint64_t, Byte>& memory;
  uint64_t order = 0;
  // the path before
  bool fresh = true;  // nothing is known of it
  SegmentEnd last_end = SegmentEnd::branch;
  size_t last_level = 0;
  uint32_t last_return = kNobody;
  Activation last_left;  // when it left: its activation

  // Of what the thread does at a time.
  uint32_t segment_of(uint64_t time, bool atomic) const {
    if (atomic)
      for (const races::AtomicAccess& access : happens.of(thread).atomics)
        if (access.time == time) return access.segment;
    return happens.of(thread).segment_of(time);
  }
  // Whether it is known that the byte was written before.
  bool certain(const Byte& byte, uint64_t time, bool atomic) const {
    if (byte.writer == kNobody || byte.thread == thread || (byte.atomic && atomic)) return true;
    return happens.of(thread).clock(segment_of(time, atomic)).of(byte.thread) >=
           happens.of(byte.thread).segments[byte.segment].own;
  }
  uint32_t writer_of(uint64_t address, uint64_t time) const {
    const auto found = memory.find(address);
    if (found == memory.end() || !certain(found->second, time, false)) return kNobody;
    return found->second.writer;
  }
  void write(uint64_t address, uint32_t writer, uint64_t time, bool atomic, bool seen,
             uint8_t value) {
    memory[address] = {writer, seen, value, thread, segment_of(time, atomic), atomic};
  }

  uint32_t node(uint32_t execution) {
    const auto id = static_cast<uint32_t>(twin.nodes_.size());
    twin.nodes_.push_back({execution, {}});
    twin.parts_[execution].push_back(id);
    return id;
  }
  void edge(uint32_t from, uint32_t to, bool control = false, bool free = false,
            uint32_t operand = kNone) {
    if (to != kNobody) twin.nodes_[from].needs.push_back({to, control, free, operand});
  }
  bool means(const Activation& caller, uint32_t callee) const {
    if (caller.call == kNone || caller.function == kNone) return false;
    const Function& f = trace.functions()[caller.function];
    const uint32_t symbol = f.statements[caller.call].callee;
    return symbol == kNone || f.symbols[symbol] == trace.functions()[callee].name;
  }
  uint32_t of_operand(const Activation& a, const Operand& operand) const {
    if (operand.kind == Operand::Kind::statement) return a.results[operand.index];
    if (operand.kind == Operand::Kind::argument) return a.arguments[operand.index];
    return kNobody;
  }

  void cut(size_t keep, size_t pushed) {
    for (; keep < stack.size(); stack.pop_back())
      if (stack.back().known && stack.back().call_result != kNobody) unresolved_call(stack.back());
    stack.resize(stack.size() + pushed);
    fresh = true;
  }

  void begin(Activation& a, uint32_t function) {
    const Function& f = trace.functions()[function];
    a.function = a.root = function;
    a.known = true;
    a.results.assign(f.statements.size(), kNobody);
    a.arguments.assign(f.arguments.size(), kNobody);
  }

  void path(const Path& path, uint64_t time, std::span<const Observation> rows,
            std::span<const Transfer> transfers) {
    const Function& f = trace.functions()[path.function];
    if (path.enters) {
      const bool tail = !fresh && last_end == SegmentEnd::tail_call;
      const Activation* caller = tail ? &last_left : stack.empty() ? nullptr : &stack.back();
      Activation a;
      begin(a, path.function);
      if (caller && caller->known) {
        a.entry = caller->call_node;
        const bool direct = !fresh && (tail || caller->last_time + 1 == time);
        if (direct && means(*caller, path.function)) {
          if (tail) a.root = caller->root;
          for (size_t k = 0; k < a.arguments.size() && k < caller->call_arguments.size(); ++k)
            a.arguments[k] = caller->call_arguments[k];
        }
      }
      stack.push_back(std::move(a));
    } else {
      if (stack.empty()) stack.emplace_back();
      Activation& a = stack.back();
      if (!a.known || a.function != path.function) {
        a = {};
        begin(a, path.function);
      } else if (a.call_result != kNobody) {
        // A recorded function returned the result, or it depends on what was given.
        if (!fresh && last_end == SegmentEnd::ret && last_level == stack.size() &&
            means(a, last_left.root)) {
          edge(a.call_result, last_return);
        } else {
          unresolved_call(a);
        }
        if (!transfers.empty() && transfers.front().statement == a.call)
          library(a, transfers, time);
        a.call_result = kNobody;
      }
    }
    Activation& a = stack.back();
    a.call = kNone;
    a.call_node = kNobody;
    a.call_arguments.clear();
    size_t row = 0;
    for (size_t i = 0; i < path.segments.size(); ++i) {
      const Segment& segment = f.segments[path.segments[i]];
      for (uint32_t n = 0; n < segment.statement_count; ++n) {
        const uint32_t s = segment.first_statement + n;
        const Observation* seen = nullptr;
        if (has_address(f, s) && row < rows.size() && rows[row].statement == s) seen = &rows[row++];
        const bool stops =
            i + 1 == path.segments.size() && n + 1 == segment.statement_count &&
            (segment.end == SegmentEnd::call || segment.end == SegmentEnd::tail_call);
        const bool atomic = i + 1 == path.segments.size() && n + 1 == segment.statement_count &&
                            segment.end == SegmentEnd::sync;
        statement(a, f, path.function, s, time, seen, stops, atomic);
      }
    }
    a.last_time = time;
    last_end = path.end;
    last_level = stack.size() - 1;
    fresh = false;
    if (path.leaves) {
      if (a.call_result != kNobody) unresolved_call(a);  // a tail call
      last_left = std::move(stack.back());
      stack.pop_back();
    }
  }

  void unresolved_call(Activation& a) {
    const Statement& call = trace.functions()[a.function].statements[a.call];
    for (const Operand& operand : call.operands) edge(a.call_result, of_operand(a, operand));
  }

  // What the unrecorded code that was called read and wrote: a part of the call for what it was
  // given, one for that and what it read, and one for each byte that it copied.
  void library(Activation& a, std::span<const Transfer> transfers, uint64_t time) {
    const Statement& call = trace.functions()[a.function].statements[a.call];
    const uint32_t execution = twin.nodes_[a.call_node].execution;
    const uint32_t given = node(execution), computed = node(execution);
    edge(given, a.call_node, false, true);
    for (const Operand& operand : call.operands) edge(given, of_operand(a, operand));
    edge(computed, given, false, true);
    std::vector<std::vector<uint32_t>> writers;
    for (const Transfer& t : transfers) {
      std::vector<uint32_t>& of = writers.emplace_back();
      for (uint64_t i = 0; t.has_from && t.has_length && i < t.length; ++i) {
        of.push_back(writer_of(t.from + i, time));
        if (t.kind != LibraryRange::Kind::read) continue;
        edge(computed, of.back());
        edge(a.call_result, of.back());
      }
    }
    for (size_t n = 0; n < transfers.size(); ++n) {
      const Transfer& t = transfers[n];
      for (uint64_t i = 0; t.has_to && t.has_length && i < t.length; ++i) {
        uint32_t writer = computed;
        if (t.kind == LibraryRange::Kind::copy && t.has_from) {
          writer = node(execution);
          edge(writer, given, false, true);
          edge(writer, writers[n][i]);
        }
        write(t.to + i, writer, time, false, false, 0);
      }
    }
  }

  void statement(Activation& a, const Function& f, uint32_t function, uint32_t s, uint64_t time,
                 const Observation* seen, bool stops, bool atomic) {
    const Statement& st = f.statements[s];
    const Block& block = f.blocks[st.block];
    if (s == block.first_statement) {
      if (st.op == Op::phi) a.before = a.results;
      const ControlTwin& controls = twin.control_of(f);
      uint32_t control = a.entry;
      uint64_t latest = 0;
      for (const uint32_t parent : controls.parents[st.block]) {
        const auto found = a.branches.find(parent);
        if (found == a.branches.end() || found->second.order < latest) continue;
        latest = found->second.order;
        control = found->second.node;
      }
      // A new round has begun since.
      const auto round = a.branches.find(controls.rounds[st.block]);
      if (round != a.branches.end() && round->second.order > latest) {
        control = a.controls[controls.rounds[st.block]];
        ++twin.by_round_;
      }
      a.controls[st.block] = control;
    }
    const auto began = a.controls.find(st.block);
    const uint32_t block_control = began == a.controls.end() ? kNobody : began->second;
    const auto execution = static_cast<uint32_t>(twin.executions_.size());
    twin.executions_.push_back({{function, s}, time, thread});
    twin.parts_.emplace_back();
    const uint32_t me = node(execution);
    uint32_t result = me;
    edge(me, block_control, true);
    const uint32_t bytes = st.attributes.empty() ? 0 : st.attributes[0];
    const bool copy = st.callee != kNone && (f.symbols[st.callee].starts_with("llvm.memcpy") ||
                                             f.symbols[st.callee].starts_with("llvm.memmove"));
    const bool fill = st.callee != kNone && f.symbols[st.callee].starts_with("llvm.memset");
    if (stops && (st.op == Op::call || st.op == Op::invoke)) {
      a.call = s;
      a.call_node = me;
      if (st.callee == kNone && !st.operands.empty()) edge(me, of_operand(a, st.operands.back()));
      for (size_t k = 0; k + 1 < st.operands.size(); ++k) {
        const uint32_t part = node(execution);
        edge(part, me, false, true);
        edge(part, of_operand(a, st.operands[k]));
        a.call_arguments.push_back(part);
      }
      result = a.call_result = node(execution);
      edge(result, me, false, true);
    } else if (st.op == Op::phi) {
      for (size_t k = 0; k + 1 < st.operands.size(); k += 2) {
        if (st.operands[k + 1].index != a.block) continue;
        if (st.operands[k].kind == Operand::Kind::statement)
          edge(me, a.before[st.operands[k].index]);
        else
          edge(me, of_operand(a, st.operands[k]));
        break;
      }
      edge(me, a.terminator_chooses ? a.terminator : a.terminator_control, true);
    } else {
      for (uint32_t k = 0; k < st.operands.size(); ++k)
        edge(me, of_operand(a, st.operands[k]), false, false, k);
    }
    const bool reads = st.op == Op::load || st.op == Op::cmpxchg || st.op == Op::atomic_rmw;
    const bool writes = st.op == Op::store || st.op == Op::cmpxchg || st.op == Op::atomic_rmw;
    if (seen && seen->has_address && (reads || writes)) {
      const bool known = seen->has_value && bytes <= 8;
      // When it is not known of all bytes who wrote them, the value says nothing.
      bool all = true;
      for (uint32_t i = 0; reads && i < bytes; ++i)
        all = all && certain(memory[seen->address + i], time, atomic);
      for (uint32_t i = 0; i < bytes; ++i) {
        Byte& byte = memory[seen->address + i];
        const auto value = static_cast<uint8_t>(seen->value >> (8 * (i & 7)));
        if (reads && !all) {
          if (certain(byte, time, atomic)) edge(me, byte.writer);
        } else if (reads) {
          // An exchange is not compared with what was seen before: its bytes are its own from here
          // on.
          if (st.op == Op::load && known) {
            if (byte.seen && byte.value != value) byte.writer = kNobody;
            byte.seen = true;
            byte.value = value;
          } else if (known && byte.seen && byte.value != value) {
            byte.writer = kNobody;
          }
          edge(me, byte.writer);
        }
        if (writes) write(seen->address + i, me, time, atomic, st.op == Op::store && known, value);
      }
    }
    if (seen && seen->has_address && seen->has_length && fill)
      for (uint64_t i = 0; i < seen->length; ++i)
        write(seen->address + i, me, time, false, false, 0);
    if (seen && seen->has_address && seen->has_length && seen->has_source && copy) {
      std::vector<uint32_t> writers;
      for (uint64_t i = 0; i < seen->length; ++i)
        writers.push_back(writer_of(seen->source + i, time));
      for (uint64_t i = 0; i < seen->length; ++i) {
        const uint32_t part = node(execution);
        edge(part, me, false, true);
        edge(part, writers[i]);
        write(seen->address + i, part, time, false, false, 0);
        twin.copied_[execution].push_back(part);
      }
    }
    if (st.op == Op::ret) last_return = me;
    a.results[s] = result;
    if (s + 1 == block.first_statement + block.statement_count) {
      const std::set<uint32_t> targets(block.successors.begin(), block.successors.end());
      a.terminator = me;
      a.terminator_control = block_control;
      a.terminator_chooses = targets.size() > 1;
      a.block = st.block;
      a.branches[st.block] = {++order, me};
    }
  }
};

// A thread that is walked.
struct SliceTwin::Walk {
  Walk(const Trace& trace, uint32_t thread, const races::HappensBefore& happens, SliceTwin& twin,
       std::unordered_map<uint64_t, Builder::Byte>& memory)
      : trace(trace),
        thread(thread),
        builder(trace, thread, happens, twin, memory),
        events(trace, thread) {}

  const Trace& trace;
  const uint32_t thread;
  Builder builder;
  std::vector<Observation> rows;
  std::vector<Transfer> transfers;
  std::optional<PathCursor> cursor;
  EventFeed events;
  size_t row = 0;
  bool more = false;
  uint32_t last_segment = kNone;
  uint64_t joined = 0;  // of the last segment

  Result<void> begin(const Windows& windows, const StatementSet& set) {
    auto source = open_rows(trace, windows, set, {.thread = thread});
    if (!source) return std::unexpected(std::move(source.error()));
    while (true) {
      const auto read = (*source)->read(rows);
      if (!read) return std::unexpected(read.error());
      if (!*read) break;
    }
    TransferSource transfer_source(trace, windows);
    transfer_source.begin(thread);
    std::vector<Transfer> piece;
    while (true) {
      const auto read = transfer_source.read(piece);
      if (!read) return std::unexpected(read.error());
      if (!*read) break;
      transfers.insert(transfers.end(), piece.begin(), piece.end());
    }
    auto opened = trace.walk(thread);
    if (!opened) return std::unexpected(std::move(opened.error()));
    cursor.emplace(std::move(*opened));
    if (auto first = events.advance(); !first) return first;
    more = cursor->next();
    return {};
  }

  Result<void> take() {
    for (; events.next_time() < cursor->time();) {
      const Event& event = events.next();
      if (event.kind == format::EventKind::resync)
        builder.cut(event.stack.keep, event.stack.frames.size());
      if (auto next = events.advance(); !next) return next;
    }
    while (row < rows.size() && rows[row].time < cursor->time()) ++row;
    size_t end = row;
    while (end < rows.size() && rows[end].time == cursor->time()) ++end;
    const auto [first, last] =
        std::ranges::equal_range(transfers, cursor->time(), {}, &Transfer::time);
    builder.path(cursor->path(), cursor->time(), std::span(rows).subspan(row, end - row),
                 {first, last});
    more = cursor->next();
    if (cursor->error()) return std::unexpected(*cursor->error());
    return {};
  }

  // When what the thread does next was over.
  uint64_t stamp() {
    const races::ThreadOrder& own = builder.happens.of(thread);
    const uint32_t number = own.segment_of(cursor->time());
    const races::Segment& segment = own.segments[number];
    if (segment.last_stamp != UINT64_MAX) return segment.last_stamp;
    if (std::exchange(last_segment, number) == number) return joined;
    joined = UINT64_MAX;
    for (uint32_t other = 0; other < trace.threads().size(); ++other) {
      const races::ThreadOrder& theirs = builder.happens.of(other);
      for (uint32_t s = 0; other != thread && s < theirs.segments.size(); ++s)
        if (theirs.clock(s).of(thread) >= segment.own)
          joined = std::min(joined, theirs.segments[s].first_stamp);
    }
    return joined;
  }
};

Result<SliceTwin> SliceTwin::make(const Trace& trace) {
  SliceTwin twin;
  auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(std::move(windows.error()));
  const auto happens = races::HappensBefore::read(trace);
  if (!happens) return std::unexpected(happens.error());
  const StatementSet set(trace, all_addresses(trace));
  std::unordered_map<uint64_t, Builder::Byte> memory;
  std::deque<Walk> walks;
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    if (windows->of(thread).empty() ||
        trace.threads()[thread].process != trace.threads()[0].process)
      continue;
    walks.emplace_back(trace, thread, *happens, twin, memory);
    if (auto begun = walks.back().begin(*windows, set); !begun)
      return std::unexpected(std::move(begun.error()));
  }
  while (true) {
    Walk* next = nullptr;
    uint64_t stamp = 0;
    for (Walk& walk : walks) {
      if (!walk.more) continue;
      const uint64_t mine = walk.stamp();
      if (next && mine >= stamp) continue;
      next = &walk;
      stamp = mine;
    }
    if (!next) break;
    // Until its next operation; the others stay where they are.
    do {
      if (auto taken = next->take(); !taken) return std::unexpected(std::move(taken.error()));
    } while (next->more && next->stamp() == stamp);
  }
  for (Walk& walk : walks)
    for (Builder::Activation& a : walk.builder.stack)
      if (a.known && a.call_result != kNobody) walk.builder.unresolved_call(a);
  return twin;
}

size_t SliceTwin::endless_functions() const {
  return static_cast<size_t>(
      std::ranges::count_if(controls_, [](const auto& c) { return c.second.endless; }));
}

const ControlTwin& SliceTwin::control_of(const Function& function) {
  const auto [at, fresh] = controls_.try_emplace(&function);
  if (fresh) at->second = control_twin(function);
  return at->second;
}

std::map<uint32_t, uint32_t> SliceTwin::search(std::vector<uint32_t> from, bool data_only,
                                               uint32_t most,
                                               const std::vector<std::vector<Edge>>& edges) const {
  std::vector<uint32_t> depth(nodes_.size(), kNobody);
  std::deque<uint32_t> open;
  for (const uint32_t node : from) {
    depth[node] = 0;
    open.push_back(node);
  }
  std::map<uint32_t, uint32_t> members;
  std::vector<bool> closed(nodes_.size());
  while (!open.empty()) {
    const uint32_t at = open.front();
    open.pop_front();
    if (closed[at]) continue;
    closed[at] = true;
    const auto [member, fresh] = members.try_emplace(nodes_[at].execution, depth[at]);
    if (!fresh) member->second = std::min(member->second, depth[at]);
    for (const Edge& edge : edges.empty() ? nodes_[at].needs : edges[at]) {
      if (edge.control && data_only) continue;
      const uint32_t next = depth[at] + (edge.free ? 0 : 1);
      if (next > most || next >= depth[edge.to]) continue;
      depth[edge.to] = next;
      if (edge.free)
        open.push_front(edge.to);
      else
        open.push_back(edge.to);
    }
  }
  return members;
}

std::map<uint32_t, uint32_t> SliceTwin::backward(uint32_t execution, bool data_only,
                                                 uint32_t depth) const {
  return search(parts_[execution], data_only, depth, {});
}

std::map<uint32_t, uint32_t> SliceTwin::forward(uint32_t execution, bool data_only,
                                                uint32_t depth) const {
  std::vector<std::vector<Edge>> edges(nodes_.size());
  for (uint32_t from = 0; from < nodes_.size(); ++from)
    for (const Edge& edge : nodes_[from].needs)
      edges[edge.to].push_back({from, edge.control, edge.free, edge.operand});
  return search(parts_[execution], data_only, depth, edges);
}

}  // namespace vestige
