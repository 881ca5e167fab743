#include "query/schedules/carried.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "query/schedules/bounds.h"
#include "query/schedules/round_registers.h"
#include "query/schedules/round_walk.h"
#include "query/threads/events.h"
#include "vestige/sync.h"
#include "vestige/values.h"

namespace vestige::schedules {

namespace {

constexpr uint64_t kLongest = 1 << 16;  // of an access to a stack, in bytes

// Writes to bytes of a stack, by distance from its end: the last one of each round, counted from 1;
// 0: before the first.
struct StackWrite {
  uint32_t round = 0;
  uint64_t statement = 0;
};
// A read of what was there before the round.
struct StackRead {
  uint64_t time = 0, statement = 0;
  uint64_t below = 0, bytes = 0;  // how far below the stack's end it begins, and its bytes
};

// What a thread's rounds do to its own memory.
class StackHistory {
 public:
  void begin_round() { ++round_; }
  uint32_t rounds() const { return round_; }
  void write(uint64_t below, uint64_t statement) {
    auto& writes = writes_[below];
    if (writes.empty() || writes.back().round != round_) writes.push_back({round_, 0});
    writes.back().statement = statement;
  }
  // Whether the byte is what was there before the round.
  bool is_carried(uint64_t below) const {
    if (round_ == 0) return false;
    const auto writes = writes_.find(below);
    return writes == writes_.end() || writes->second.back().round != round_;
  }
  // Who wrote it last before that round; UINT64_MAX: nobody.
  uint64_t writer(uint64_t below, uint32_t round) const {
    const auto writes = writes_.find(below);
    if (writes == writes_.end()) return UINT64_MAX;
    const auto behind = std::ranges::lower_bound(writes->second, round, {}, &StackWrite::round);
    return behind == writes->second.begin() ? UINT64_MAX : std::prev(behind)->statement;
  }

 private:
  uint32_t round_ = 0;
  std::unordered_map<uint64_t, std::vector<StackWrite>> writes_;
};

// The values that statements had in the threads of a pool, as long as they are the same.
class SameValues {
 public:
  SameValues(const Trace& trace, const Workers& workers, const JobPool& pool)
      : trace_(trace), workers_(workers), pool_(pool) {}

  void want(uint32_t function, uint32_t statement) { wanted_.insert({function, statement}); }

  Result<void> read() {
    HistoryOptions options;
    for (const auto& [function, statement] : wanted_)
      if (has_value(trace_.functions()[function], statement))
        options.statements.push_back({function, statement});
    if (options.statements.empty()) return {};
    for (const uint32_t thread : pool_.threads) {
      options.thread = thread;
      auto cursor = HistoryCursor::open(trace_, options);
      if (!cursor) return std::unexpected(std::move(cursor.error()));
      while (const HistoryRow* row = cursor->next()) add(thread, *row);
      if (cursor->error() != nullptr) return std::unexpected(*cursor->error());
    }
    return {};
  }

  // In all threads there was such a value, and always the same. Where a thread did not come to it,
  // it would have been: it follows from others that are.
  bool same(uint32_t function, uint32_t statement, int depth = 4) const {
    const auto found = values_.find({function, statement});
    if (found == values_.end() || !found->second.same) return false;
    if (found->second.threads.size() == pool_.threads.size()) return true;
    const Function& in = trace_.functions()[function];
    const Statement& of = in.statements[statement];
    if (depth == 0 || !follows(of.op)) return false;
    return std::ranges::all_of(of.operands, [&](const Operand& operand) {
      if (operand.kind != Operand::Kind::statement)
        return operand.kind == Operand::Kind::constant || operand.kind == Operand::Kind::block;
      return operand.index == statement || in.statements[operand.index].op == Op::alloca_ ||
             same(function, operand.index, depth - 1);
    });
  }

 private:
  struct Value {
    bool same = true, of_stack = false;
    uint64_t value = 0;
    std::set<uint32_t> threads;
  };

  // Its value follows from those of its operands.
  static bool follows(Op op) {
    return op == Op::phi || op == Op::select || op == Op::get_element_ptr || op == Op::icmp ||
           (op >= Op::add && op <= Op::fneg) || (op >= Op::trunc && op <= Op::addr_space_cast);
  }

  void add(uint32_t thread, const HistoryRow& row) {
    const auto [at, fresh] = values_.try_emplace({row.statement.function, row.statement.statement});
    Value& known = at->second;
    known.threads.insert(thread);
    if (!row.value) {
      known.same = false;
      return;
    }
    const auto [first, end] = workers_.stacks[thread];
    const bool of_stack = *row.value >= first && *row.value < end;
    const uint64_t value = of_stack ? end - *row.value : *row.value;
    if (fresh) {
      known.value = value;
      known.of_stack = of_stack;
    }
    known.same = known.same && known.value == value && known.of_stack == of_stack;
  }

  const Trace& trace_;
  const Workers& workers_;
  const JobPool& pool_;
  std::set<std::pair<uint32_t, uint32_t>> wanted_;
  std::map<std::pair<uint32_t, uint32_t>, Value> values_;
};

// One pool.
class PoolCheck {
 public:
  PoolCheck(const Trace& trace, const Workers& workers, const JobPool& pool,
            const std::vector<StackHistory>& memory,
            const std::vector<std::vector<StackRead>>& reads)
      : trace_(trace),
        workers_(workers),
        pool_(pool),
        memory_(memory),
        reads_(reads),
        values_(trace, workers, pool) {}

  Result<void> check(RoundFacts& facts) {
    for (const uint32_t thread : pool_.threads) {
      const auto [first, end] = workers_.of(thread);
      for (size_t i = first; i < end; ++i) places_.try_emplace(workers_.rounds[i].place);
    }
    for (auto& [place, differ] : places_) want_place(workers_.places[place]);
    for (const uint32_t thread : pool_.threads)
      for (const StackRead& read : reads_[thread])
        for (uint64_t i = 0; i < read.bytes; ++i)
          if (const auto writer = one_writer(read.below - i)) want_writer(*writer);
    if (auto read = values_.read(); !read) return read;
    for (auto& [place, differ] : places_) find_differing(workers_.places[place], differ);
    for (const uint32_t thread : pool_.threads)
      if (auto walked = walk(thread, facts); !walked) return walked;
    return {};
  }

 private:
  const Function& function(const RoundFrame& frame) const {
    return trace_.functions()[frame.function];
  }
  CarriedValues carried(const RoundFrames& frames, size_t i) const {
    return RoundRegisters(function(frames[i]), frames[i].statement, i == pool_.loop).carried();
  }

  void want_place(const RoundFrames& frames) {
    for (size_t i = pool_.loop; i < frames.size(); ++i) {
      const uint32_t f = frames[i].function;
      for (uint32_t s = 0; s < function(frames[i]).statements.size(); ++s) {
        const Op op = function(frames[i]).statements[s].op;
        if (op == Op::load || op == Op::phi) values_.want(f, s);
      }
      for (const uint32_t s : carried(frames, i).statements) values_.want(f, s);
      if (i == 0) continue;
      const RoundFrame& caller = frames[i - 1];
      for (const Operand& operand : function(caller).statements[caller.statement].operands)
        if (operand.kind == Operand::Kind::statement) values_.want(caller.function, operand.index);
    }
  }

  void want_writer(uint64_t id) {
    if (const auto at = statement_by_id(trace_, id)) values_.want(at->function, at->statement);
  }

  // The statement that wrote this byte last, whenever a worker came to the place.
  std::optional<uint64_t> one_writer(uint64_t below) {
    const auto [at, fresh] = writers_.try_emplace(below);
    if (!fresh) return at->second;
    std::optional<uint64_t> one;
    for (const uint32_t thread : pool_.threads)
      for (uint32_t round = 1; round <= memory_[thread].rounds(); ++round) {
        const uint64_t writer = memory_[thread].writer(below, round);
        if (writer == UINT64_MAX || writer != one.value_or(writer)) return std::nullopt;
        one = writer;
      }
    return at->second = one;
  }

  bool always_the_same(uint64_t id) const {
    const auto at = statement_by_id(trace_, id);
    if (!at) return false;
    const Function& of = trace_.functions()[at->function];
    const Statement& statement = of.statements[at->statement];
    if (statement.op == Op::store && statement.operands[0].kind == Operand::Kind::constant)
      return true;
    const bool fills = statement.callee < of.symbols.size() &&
                       of.symbols[statement.callee].starts_with("llvm.memset");
    if (fills) return statement.operands[1].kind == Operand::Kind::constant;
    return statement.op == Op::store && values_.same(at->function, at->statement);
  }

  void find_differing(const RoundFrames& frames, DifferingValues& differ) {
    differ.statements.resize(frames.size());
    differ.arguments.resize(frames.size());
    for (size_t i = pool_.loop; i < frames.size(); ++i) {
      const CarriedValues all = carried(frames, i);
      for (const uint32_t s : all.statements)
        if (!values_.same(frames[i].function, s)) differ.statements[i].insert(s);
      for (const uint32_t a : all.arguments)
        if (!same_argument(frames, i, a)) differ.arguments[i].insert(a);
    }
  }

  bool differs(const StackRead& read) {
    for (uint64_t i = 0; i < read.bytes; ++i) {
      const auto writer = one_writer(read.below - i);
      if (!writer || !always_the_same(*writer)) return true;
    }
    return false;
  }

  Result<void> walk(uint32_t thread, RoundFacts& facts) {
    RoundWalkInput input{places_, {}, [&](uint32_t f, uint32_t s) { return values_.same(f, s); }};
    for (const StackRead& read : reads_[thread])
      if (differs(read))
        if (const auto at = statement_by_id(trace_, read.statement))
          input.reads.push_back({read.time, at->function, at->statement});
    std::ranges::sort(input.reads);
    return walk_rounds(trace_, workers_, thread, input, facts.apart, facts.own_from[thread]);
  }

  bool same_argument(const RoundFrames& frames, size_t frame, uint32_t argument) const {
    if (frame == 0) return argument == 0 && same_start();
    const RoundFrame& caller = frames[frame - 1];
    const auto& operands = function(caller).statements[caller.statement].operands;
    if (argument >= operands.size()) return false;
    const Operand& operand = operands[argument];
    if (operand.kind == Operand::Kind::constant) return true;
    if (operand.kind == Operand::Kind::argument)
      return same_argument(frames, frame - 1, operand.index);
    return operand.kind == Operand::Kind::statement && values_.same(caller.function, operand.index);
  }

  // ---- what the threads were created with
  // ----------------------------------------------------------

  struct Creation {
    uint32_t creator = kNone, function = kNone, statement = kNone;
    uint64_t time = 0;
    Operand operand;
  };

  std::optional<Creation> creation(uint32_t thread) const {
    constexpr size_t kStart = 3;  // pthread_create's fourth
    const ThreadInfo& info = trace_.threads()[thread];
    auto cursor = SyncCursor::open(trace_, info.parent);
    if (!cursor) return std::nullopt;
    std::optional<Creation> found;
    while (cursor->next()) {
      const SyncOperation& op = cursor->operation();
      if (op.kind != SyncKind::thread_create || op.object != info.handle) continue;
      if (op.time != info.parent_time) continue;
      found = Creation{info.parent, kNone, kNone, op.time, {}};
    }
    if (!found) return std::nullopt;
    auto walk = trace_.walk(info.parent);
    if (!walk || !walk->seek(found->time)) return std::nullopt;
    const Function& of = trace_.functions()[walk->path().function];
    const vestige::Segment& last = of.segments[walk->path().segments.back()];
    for (uint32_t s = last.first_statement; s < last.first_statement + last.statement_count; ++s) {
      const uint32_t callee = of.statements[s].callee;
      if (callee >= of.symbols.size() || of.symbols[callee] != "pthread_create") continue;
      if (of.statements[s].operands.size() <= kStart) continue;
      found->function = walk->path().function;
      found->statement = s;
      found->operand = of.statements[s].operands[kStart];
    }
    return found->function == kNone ? std::nullopt : found;
  }

  std::optional<uint64_t> value_at(const Creation& one) const {
    HistoryOptions options;
    options.statements = {{one.function, one.operand.index}};
    options.thread = one.creator;
    auto cursor = HistoryCursor::open(trace_, options);
    if (!cursor) return std::nullopt;
    std::optional<uint64_t> value;
    while (const HistoryRow* row = cursor->next()) {
      if (row->time > one.time) break;
      value = row->value;
    }
    return value;
  }

  // Whether one activation stays from the one time to the other.
  bool stays(const Creation& a, const Creation& b) const {
    auto walk = trace_.walk(a.creator);
    if (!walk || !walk->seek(a.time)) return false;
    int64_t depth = 0;
    for (uint64_t time = a.time; time < b.time; ++time) {
      if (walk->path().leaves && --depth < 0) return false;
      if (!walk->next()) return false;
      if (walk->path().enters) ++depth;
    }
    return depth == 0;
  }

  bool same_start(const Creation& a, const Creation& b) const {
    if (a.function != b.function || a.operand.kind != b.operand.kind) return false;
    switch (a.operand.kind) {
      case Operand::Kind::constant: {
        if (a.operand.index == b.operand.index) return true;
        const auto& constants = trace_.functions()[a.function].constants;
        const Constant &one = constants[a.operand.index], &other = constants[b.operand.index];
        return one.kind == other.kind && one.bytes == other.bytes && one.symbol == other.symbol &&
               one.offset == other.offset && one.parts.empty() && other.parts.empty();
      }
      case Operand::Kind::statement: {
        const auto one = value_at(a), other = value_at(b);
        return one && other && *one == *other;
      }
      case Operand::Kind::argument:
        return a.operand.index == b.operand.index && a.creator == b.creator && stays(a, b);
      default:
        return false;
    }
  }

  bool same_start() const {
    const auto first = creation(pool_.threads[0]);
    if (!first) return false;
    return std::ranges::all_of(pool_.threads, [&](uint32_t thread) {
      const auto other = creation(thread);
      return other && same_start(*first, *other);
    });
  }

  const Trace& trace_;
  const Workers& workers_;
  const JobPool& pool_;
  const std::vector<StackHistory>& memory_;
  const std::vector<std::vector<StackRead>>& reads_;
  SameValues values_;
  std::map<uint32_t, DifferingValues> places_;
  std::map<uint64_t, std::optional<uint64_t>> writers_;  // one_writer
};

bool within(const std::map<uint64_t, uint64_t>& ranges, uint64_t address, uint64_t bytes) {
  const auto behind = ranges.lower_bound(address + bytes);
  return behind != ranges.begin() && std::prev(behind)->second > address;
}

// Reads the accesses of all workers to their own memory.
class OwnReader {
 public:
  OwnReader(const Trace& trace, const Workers& workers, RoundFacts& into)
      : workers_(workers), into_(into), next_(trace.threads().size()) {
    memory.resize(trace.threads().size());
    reads.resize(trace.threads().size());
    locals_.resize(trace.threads().size());
    for (uint32_t t = 0; t < trace.threads().size(); ++t) next_[t] = workers.of(t).first;
  }

  // False: it is too long to be looked at.
  bool access(uint64_t time, const Reference& reference) {
    const uint32_t t = reference.thread;
    const auto [first, end] = workers_.of(t);
    if (first == end) return true;
    begin_rounds(t, time);
    const bool reads_it = reference.kind != Reference::Kind::write;
    const bool writes_it = reference.kind != Reference::Kind::read;
    if (within(into_.thread_locals[t], reference.address, reference.bytes)) {
      access_local(t, time, reference, reads_it, writes_it);
      return true;
    }
    const auto [low, high] = workers_.stacks[t];
    if (reference.address < low || reference.address >= high) return true;
    into_.limited = into_.limited || reference.bytes > kLongest;
    if (into_.limited) return false;
    bool carried = false;
    for (uint64_t i = 0; i < reference.bytes; ++i) {
      const uint64_t below = high - (reference.address + i);
      carried = carried || memory[t].is_carried(below);
      if (writes_it) memory[t].write(below, reference.statement_id);
    }
    if (reads_it && carried)
      reads[t].push_back({time, reference.statement_id, high - reference.address, reference.bytes});
    return true;
  }
  // The rounds behind the last accesses begin, too.
  void finish() {
    for (uint32_t t = 0; t < next_.size(); ++t) begin_rounds(t, UINT64_MAX);
  }

  std::vector<StackHistory> memory;
  std::vector<std::vector<StackRead>> reads;

 private:
  void begin_rounds(uint32_t t, uint64_t before) {
    const size_t end = workers_.of(t).second;
    for (; next_[t] < end && workers_.rounds[next_[t]].time < before; ++next_[t]) {
      memory[t].begin_round();
      locals_[t].clear();
    }
  }
  void access_local(uint32_t t, uint64_t time, const Reference& reference, bool reads_it,
                    bool writes_it) {
    for (uint64_t at = reference.address; at < reference.address + reference.bytes; ++at) {
      if (reads_it && !locals_[t].contains(at)) {
        auto& own = into_.own_from[t];
        if (own.empty() || own.back() != time) own.push_back(time);
      }
      if (writes_it) locals_[t].insert(at);
    }
  }

  const Workers& workers_;
  RoundFacts& into_;
  std::vector<size_t> next_;
  std::vector<std::set<uint64_t>> locals_;  // by thread: bytes that the round wrote
};

}  // namespace

bool RoundFacts::is_own(const Workers& workers, uint32_t thread, uint64_t address,
                        uint64_t bytes) const {
  const auto [first, end] = workers.stacks[thread];
  return (address + bytes > first && address < end) ||
         within(thread_locals[thread], address, bytes);
}

Result<RoundFacts> read_round_facts(const Trace& trace, const Workers& workers, uint64_t most) {
  RoundFacts facts;
  facts.own_from = workers.asked;
  facts.thread_locals.resize(trace.threads().size());
  for (const JobPool& pool : workers.pools)
    for (const uint32_t thread : pool.threads) {
      auto locals = read_thread_locals(trace, thread);
      if (!locals) return std::unexpected(std::move(locals.error()));
      facts.thread_locals[thread] = std::move(*locals);
    }
  OwnReader reader(trace, workers, facts);
  const auto read = threads::read_accesses(trace, [&](uint64_t time, const Reference& reference) {
    facts.limited = facts.limited || most == 0;
    if (facts.limited) return false;
    --most;
    return reader.access(time, reference);
  });
  if (!read) return std::unexpected(read.error());
  reader.finish();
  if (facts.limited) return facts;
  for (const JobPool& pool : workers.pools)
    if (auto checked = PoolCheck(trace, workers, pool, reader.memory, reader.reads).check(facts);
        !checked)
      return std::unexpected(std::move(checked.error()));
  for (auto& times : facts.own_from) std::ranges::sort(times);
  return facts;
}

}  // namespace vestige::schedules
