#include "query/schedules/round_walk.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace vestige::schedules {

namespace {

bool is_call(Op op) { return op == Op::call || op == Op::invoke || op == Op::call_br; }
bool decides(Op op) {
  return op == Op::br || op == Op::switch_ || op == Op::indirect_br || op == Op::resume;
}
// Calls of the compiler's own that do nothing to memory.
bool is_note(const Function& function, const Statement& statement) {
  if (statement.callee >= function.symbols.size()) return false;
  const std::string_view name = function.symbols[statement.callee];
  return name.starts_with("llvm.") && !name.starts_with("llvm.mem");
}

// An activation.
struct Walked {
  uint32_t function = 0, block = kNone;
  uint32_t call = kNone;  // the statement that it stands at
  bool followed = false;
  std::set<uint32_t> values, arguments, locals = {};  // that differ
};

class RoundWalk {
 public:
  RoundWalk(const Trace& trace, const Workers& workers, uint32_t thread,
            const RoundWalkInput& input, std::set<uint64_t>& apart, std::vector<uint64_t>& own_from)
      : trace_(trace),
        workers_(workers),
        thread_(thread),
        input_(input),
        apart_(apart),
        own_from_(own_from) {}

  Result<void> walk() {
    auto cursor = trace_.walk(thread_);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    const auto [first, end] = workers_.of(thread_);
    size_t next = first;
    while (cursor->next()) {
      time_ = cursor->time();
      if (!path(cursor->path())) {
        own();
        break;
      }
      for (; next < end && workers_.rounds[next].time == time_; ++next)
        begin(workers_.rounds[next]);
    }
    if (cursor->error() != nullptr) return std::unexpected(*cursor->error());
    return {};
  }

 private:
  void own() {
    if (own_from_.empty() || own_from_.back() != time_) own_from_.push_back(time_);
  }

  void begin(const WorkerRound& round) {
    const RoundFrames& frames = workers_.places[round.place];
    const DifferingValues& differ = input_.places.at(round.place);
    for (size_t i = 0; i < stack_.size(); ++i) {
      Walked& one = stack_[i];
      one.followed = i >= workers_.pools[round.pool].loop && i < frames.size();
      if (!one.followed) continue;
      one.values = differ.statements[i];
      one.arguments = differ.arguments[i];
      one.locals.clear();
    }
  }

  // False: its stack cannot be followed.
  bool path(const Path& path) {
    if (path.enters) stack_.push_back({path.function, kNone, kNone, false, {}, {}, {}});
    if (stack_.empty() || stack_.back().function != path.function) return false;
    Walked& top = stack_.back();
    reads_.clear();
    for (; next_read_ < input_.reads.size() && input_.reads[next_read_].time <= time_; ++next_read_)
      if (input_.reads[next_read_].time == time_) reads_.insert(input_.reads[next_read_].statement);
    const Function& function = trace_.functions()[path.function];
    bool returns_it = false;
    for (size_t i = 0; i < path.segments.size(); ++i) {
      const vestige::Segment& segment = function.segments[path.segments[i]];
      const bool begins = segment.first_statement == function.blocks[segment.block].first_statement;
      if (top.followed)
        segment_of(top, function, segment, begins && (i > 0 || !path.resumes), returns_it);
      top.block = segment.block;
      if (segment.statement_count > 0)
        top.call = segment.first_statement + segment.statement_count - 1;
    }
    if (!reads_.empty()) own();
    if (!path.leaves) return true;
    stack_.pop_back();
    if (returns_it && !stack_.empty() && stack_.back().followed)
      stack_.back().values.insert(stack_.back().call);
    return true;
  }

  bool differs(const Walked& in, const Operand& operand) const {
    if (operand.kind == Operand::Kind::argument) return in.arguments.contains(operand.index);
    return operand.kind == Operand::Kind::statement && in.values.contains(operand.index);
  }
  static void set(Walked& in, uint32_t statement, bool differs) {
    if (differs)
      in.values.insert(statement);
    else
      in.values.erase(statement);
  }

  void segment_of(Walked& in, const Function& function, const vestige::Segment& segment,
                  bool begins, bool& returns_it) {
    uint32_t s = segment.first_statement;
    const uint32_t end = s + segment.statement_count;
    // All phis of a block take what was there before.
    std::vector<std::pair<uint32_t, bool>> phis;
    for (; s < end && function.statements[s].op == Op::phi; ++s) {
      const auto& operands = function.statements[s].operands;
      for (size_t i = 0; begins && i + 1 < operands.size(); i += 2)
        if (operands[i + 1].index == in.block) {
          phis.emplace_back(s, differs(in, operands[i]));
          break;
        }
    }
    for (const auto& [phi, differ] : phis) set(in, phi, differ);
    for (; s < end; ++s) {
      const Statement& statement = function.statements[s];
      const bool any = std::ranges::any_of(
          statement.operands, [&](const Operand& operand) { return differs(in, operand); });
      returns_it = statement.op == Op::ret && any;
      follow(in, function, s, any);
    }
  }

  void follow(Walked& in, const Function& function, uint32_t s, bool any) {
    const Statement& statement = function.statements[s];
    if (statement.op == Op::load) {
      if (any) apart_.insert(uint64_t{function.first_statement} + s);
      const uint32_t local = local_of(function, statement.operands[0]);
      const bool got = reads_.erase(s) > 0 || any || (local != kNone && in.locals.contains(local));
      return set(in, s, got && !input_.same(in.function, s));
    }
    if (statement.op == Op::store) {
      if (!any) return;
      const uint32_t local = local_of(function, statement.operands[1]);
      if (local == kNone || differs(in, statement.operands[1]))
        own();
      else
        in.locals.insert(local);
      return;
    }
    const bool shows = decides(statement.op) || statement.op == Op::atomic_rmw ||
                       statement.op == Op::cmpxchg || statement.op == Op::va_arg ||
                       (is_call(statement.op) && !is_note(function, statement));
    if (any && shows) own();
    set(in, s, any && !shows);
  }

  // The local variable that a pointer leads to; kNone: not known.
  static uint32_t local_of(const Function& function, const Operand& pointer) {
    Operand at = pointer;
    for (size_t steps = 0; steps < function.statements.size(); ++steps) {
      if (at.kind != Operand::Kind::statement) return kNone;
      const Statement& statement = function.statements[at.index];
      if (statement.op == Op::alloca_) return at.index;
      const bool moves = statement.op == Op::get_element_ptr || statement.op == Op::bit_cast;
      if (!moves || statement.operands.empty()) return kNone;
      at = statement.operands[0];
    }
    return kNone;
  }

  const Trace& trace_;
  const Workers& workers_;
  const uint32_t thread_;
  const RoundWalkInput& input_;
  std::set<uint64_t>& apart_;
  std::vector<uint64_t>& own_from_;
  std::vector<Walked> stack_;
  std::set<uint32_t> reads_;  // of the path, that differ
  size_t next_read_ = 0;
  uint64_t time_ = 0;
};

}  // namespace

Result<void> walk_rounds(const Trace& trace, const Workers& workers, uint32_t thread,
                         const RoundWalkInput& input, std::set<uint64_t>& apart,
                         std::vector<uint64_t>& own_from) {
  return RoundWalk(trace, workers, thread, input, apart, own_from).walk();
}

}  // namespace vestige::schedules
