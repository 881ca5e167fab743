#include "query/diff/diff_chain.h"

#include <algorithm>

#include "vestige/slice.h"
#include "vestige/values.h"

namespace vestige {

namespace {

constexpr uint64_t kMostMembers = uint64_t{1} << 20;

// Executions of a statement among the thread's first `paths` paths.
Result<uint64_t> executed(const Trace& trace, uint32_t thread, StatementRef statement,
                          uint64_t paths) {
  auto cursor = trace.walk(thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  const Function& f = trace.functions()[statement.function];
  uint64_t count = 0;
  while (paths-- > 0 && cursor->next()) {
    if (cursor->function() != statement.function) continue;
    for (const uint32_t s : cursor->path().segments)
      count += statement.statement - f.segments[s].first_statement < f.segments[s].statement_count;
  }
  if (cursor->error()) return std::unexpected(*cursor->error());
  return count;
}

struct ChainLink {
  StatementRef statement;  // in A
  uint64_t instance = 0;   // in both runs: what is before is common
};

// Executions that differ, from one of them back to the one that did first, by the dependences of
// one of the two runs.
class DifferenceChain {
 public:
  DifferenceChain(const Trace& a, const Trace& b, const std::vector<uint32_t>& twins,
                  const DifferingExecutions& differing, const ThreadDiff& diff)
      : a_(a),
        b_(b),
        differing_(differing),
        diff_(diff),
        twins_(twins),
        back_(b.functions().size()) {
    for (uint32_t f = 0; f < twins.size(); ++f)
      if (twins[f] != kNone) back_[twins[f]] = f;
    later_ = b.threads()[diff.thread].first_time - a.threads()[diff.thread].first_time;
  }

  // Nothing: no chain. The second one is tried when the first does not reach `value`.
  Result<std::vector<DifferenceStep>> follow(const ChainLink& from, bool& begins) const {
    std::vector<DifferenceStep> best;
    begins = false;
    for (const bool in_b : {false, true}) {
      auto found = follow_in(from, in_b);
      if (!found) {
        if (found.error().kind == ErrorKind::unsupported) continue;  // too large
        return std::unexpected(std::move(found.error()));
      }
      begins = !found->empty() && found->back().statement == diff_.value->statement &&
               found->back().time_a == diff_.value->time;
      if (best.empty() || begins) best = std::move(*found);
      if (begins) break;
    }
    return best;
  }

 private:
  StatementRef in_a(StatementRef ref, bool in_b) const {
    return in_b ? StatementRef{back_[ref.function], ref.statement} : ref;
  }

  Result<std::vector<DifferenceStep>> follow_in(const ChainLink& from, bool in_b) const {
    auto slicer = Slicer::open(in_b ? b_ : a_);
    if (!slicer) return std::unexpected(std::move(slicer.error()));
    const auto differs = [&](const SliceInstance& member) {
      return member.thread != diff_.thread || goes_on(member, in_b);
    };
    SliceOptions options;
    options.statement = from.statement;
    if (in_b) options.statement.function = twins_[from.statement.function];
    options.instance = from.instance;
    options.thread = diff_.thread;
    options.data_only = true;
    options.instances = true;
    options.most_instances = kMostMembers;
    options.through = differs;
    auto made = slicer->slice(options);
    if (!made) return std::unexpected(std::move(made.error()));
    const std::vector<SliceInstance>& members = made->instances;
    const SliceInstance* earliest = nullptr;
    uint64_t order = UINT64_MAX;
    for (const SliceInstance& member : members) {
      const DifferingExecution* one = found(member, in_b);
      if (!one || !one->counts || one->order >= order) continue;
      order = one->order;
      earliest = &member;
    }
    std::vector<DifferenceStep> steps;
    for (const SliceInstance* at = earliest; at;
         at = at->of == kNone ? nullptr : &members[at->of]) {
      DifferenceStep next = step(*at, in_b);
      const Function& function = a_.functions()[next.statement.function];
      // What a phi gives is what it took.
      if (!steps.empty() && function.statements[next.statement.statement].op == Op::phi) {
        next.a = steps.back().a;
        next.b = steps.back().b;
      }
      steps.push_back(next);
    }
    std::ranges::reverse(steps);
    return steps;
  }
  const DifferingExecution* found(const SliceInstance& member, bool in_b) const {
    if (member.thread != diff_.thread) return nullptr;
    return differing_.find(in_a(member.statement, in_b), member.time - (in_b ? later_ : 0));
  }
  // What has no value to compare passes on what came in; so does a call to what it calls.
  bool goes_on(const SliceInstance& member, bool in_b) const {
    if (member.reason == SliceReason::criterion || member.reason == SliceReason::argument)
      return true;
    const StatementRef ref = in_a(member.statement, in_b);
    const Function& function = a_.functions()[ref.function];
    if (differing_.full() || !has_compared_value(function, ref.statement)) return true;
    return member.reason == SliceReason::memory && function.statements[ref.statement].op == Op::call
               ? true
               : found(member, in_b) != nullptr;
  }
  DifferenceStep step(const SliceInstance& member, bool in_b) const {
    DifferenceStep out;
    out.statement = in_a(member.statement, in_b);
    out.instance_a = out.instance_b = member.instance;
    out.time_a = member.time - (in_b ? later_ : 0);
    out.time_b = out.time_a + later_;
    if (const DifferingExecution* one = found(member, in_b)) {
      out.a = one->a;
      out.b = one->b;
    }
    return out;
  }

  const Trace& a_;
  const Trace& b_;
  const DifferingExecutions& differing_;
  const ThreadDiff& diff_;
  const std::vector<uint32_t>& twins_;
  std::vector<uint32_t> back_;  // functions of B in A
  uint64_t later_ = 0;
};

// What sends them apart: a branch, or a call that comes back in one way or another.
std::optional<StatementRef> parting(const Trace& a, const ThreadDiff& diff) {
  const ControlDifference& control = *diff.control;
  if (control.block == kNone || control.a.function == kNone || control.b.function == kNone)
    return std::nullopt;
  const Function& function = a.functions()[control.function];
  const Block& block = function.blocks[control.block];
  if (block.statement_count == 0) return std::nullopt;
  const uint32_t last = block.first_statement + block.statement_count - 1;
  const Op op = function.statements[last].op;
  if (op != Op::br && op != Op::switch_ && op != Op::indirect_br) return std::nullopt;
  return StatementRef{control.function, last};
}

}  // namespace

Result<void> explain_difference(const Trace& a, const Trace& b, const std::vector<uint32_t>& twins,
                                const DifferingExecutions& differing, ThreadDiff& diff) {
  const uint64_t before = a.threads()[diff.thread].first_time - 1;
  for (ValueDifference* value : {&*diff.value, &*diff.last}) {
    const auto count = executed(a, diff.thread, value->statement, value->time - before);
    if (!count) return std::unexpected(count.error());
    value->instance = *count;
  }
  ChainLink from{diff.last->statement, diff.last->instance};
  if (diff.control) {
    if (const auto branch = parting(a, diff)) {
      const auto count =
          executed(a, diff.thread, *branch, diff.common + (diff.control->inside ? 1 : 0));
      if (!count) return std::unexpected(count.error());
      if (*count > 0) from = {*branch, *count};
    }
  }
  auto why = DifferenceChain(a, b, twins, differing, diff).follow(from, diff.why_begins);
  if (!why) return std::unexpected(std::move(why.error()));
  diff.why = std::move(*why);
  return {};
}

}  // namespace vestige
