#include "query/diff_chain.h"

#include <algorithm>

#include "vestige/slice.h"
#include "vestige/values.h"

namespace vestige {

namespace {

constexpr size_t kMostSteps = 24;

class DifferenceChain {
 public:
  DifferenceChain(const Trace& a, const std::vector<uint32_t>& twins, uint32_t thread,
                  Slicer slicer_a, Slicer slicer_b)
      : a_(a),
        twins_(twins),
        thread_(thread),
        slicer_a_(std::move(slicer_a)),
        slicer_b_(std::move(slicer_b)) {}

  Result<std::vector<DifferenceStep>> follow(StatementRef statement, uint64_t instance) {
    std::vector<DifferenceStep> out;
    DifferenceStep at;
    at.statement = statement;
    at.instance_a = at.instance_b = instance;
    while (out.size() < kMostSteps) {
      auto inputs_a = inputs_of(slicer_a_, at.statement, at.instance_a);
      if (!inputs_a) return std::unexpected(std::move(inputs_a.error()));
      auto inputs_b = inputs_of(slicer_b_, in_b(at.statement), at.instance_b);
      if (!inputs_b) return std::unexpected(std::move(inputs_b.error()));
      if (out.empty()) out.push_back(shown(at, *inputs_a, *inputs_b));
      const auto next = differing(*inputs_a, *inputs_b);
      if (!next) break;
      at = *next;
      out.push_back(at);
    }
    return out;
  }

 private:
  StatementRef in_b(StatementRef ref) const { return {twins_[ref.function], ref.statement}; }

  // The execution itself and what it was computed from, the latest first. Of an argument, that is
  // what the call was given, not the call.
  Result<std::vector<SliceInstance>> inputs_of(Slicer& slicer, StatementRef statement,
                                               uint64_t instance) const {
    SliceOptions options;
    options.statement = statement;
    options.instance = instance;
    options.thread = thread_;
    options.data_only = true;
    options.depth = 2;
    options.instances = true;
    const auto near = slicer.slice(options);
    if (!near) return std::unexpected(near.error());
    std::vector<SliceInstance> inputs;
    for (const SliceInstance& member : near->instances) {
      const bool passed = member.reason == SliceReason::argument;
      const bool given =
          member.depth == 2 && near->instances[member.of].reason == SliceReason::argument;
      if (member.thread == thread_ && (member.depth < 2 ? !passed : given))
        inputs.push_back(member);
    }
    std::ranges::reverse(inputs);
    return inputs;
  }

  static DifferenceStep shown(DifferenceStep step, const std::vector<SliceInstance>& a,
                              const std::vector<SliceInstance>& b) {
    for (const SliceInstance& member : a)
      if (member.depth == 0) step.a = member.value, step.time_a = member.time;
    for (const SliceInstance& member : b)
      if (member.depth == 0) step.b = member.value, step.time_b = member.time;
    return step;
  }

  // The latest input that both have and that is not the same. Pointers never are.
  std::optional<DifferenceStep> differing(const std::vector<SliceInstance>& a,
                                          const std::vector<SliceInstance>& b) const {
    for (const SliceInstance& one : a) {
      if (one.depth == 0 || !one.value) continue;
      const ValueType type =
          value_type(a_.functions()[one.statement.function], one.statement.statement);
      if (type.bits == 0 || type.kind == ValueType::Kind::pointer) continue;
      const StatementRef twin = in_b(one.statement);
      const auto other = std::ranges::find_if(b, [&](const SliceInstance& m) {
        return m.depth != 0 && m.statement == twin && m.reason == one.reason;
      });
      if (other == b.end() || !other->value || *other->value == *one.value) continue;
      DifferenceStep step;
      step.statement = one.statement;
      step.instance_a = one.instance;
      step.instance_b = other->instance;
      step.time_a = one.time;
      step.time_b = other->time;
      step.a = one.value;
      step.b = other->value;
      return step;
    }
    return std::nullopt;
  }

  const Trace& a_;
  const std::vector<uint32_t>& twins_;
  const uint32_t thread_;
  Slicer slicer_a_, slicer_b_;
};

Result<std::vector<DifferenceStep>> follow_difference(const Trace& a, const Trace& b,
                                                      const std::vector<uint32_t>& twins,
                                                      uint32_t thread, StatementRef statement,
                                                      uint64_t instance) {
  auto slicer_a = Slicer::open(a);
  if (!slicer_a) return std::unexpected(std::move(slicer_a.error()));
  auto slicer_b = Slicer::open(b);
  if (!slicer_b) return std::unexpected(std::move(slicer_b.error()));
  DifferenceChain chain(a, twins, thread, std::move(*slicer_a), std::move(*slicer_b));
  return chain.follow(statement, instance);
}

// How often the thread has executed a block's last statement with its first `paths` paths.
Result<uint64_t> executed(const Trace& trace, uint32_t thread, uint32_t function, uint32_t block,
                          uint64_t paths) {
  auto cursor = trace.walk(thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  const Function& f = trace.functions()[function];
  const uint32_t last = f.blocks[block].first_statement + f.blocks[block].statement_count - 1;
  uint64_t count = 0;
  while (paths-- > 0 && cursor->next()) {
    if (cursor->function() != function) continue;
    for (const uint32_t s : cursor->path().segments) {
      const Segment& segment = f.segments[s];
      count += last >= segment.first_statement &&
               last < segment.first_statement + segment.statement_count;
    }
  }
  if (cursor->error()) return std::unexpected(*cursor->error());
  return count;
}

}  // namespace

Result<std::vector<DifferenceStep>> explain_difference(const Trace& a, const Trace& b,
                                                       const std::vector<uint32_t>& twins,
                                                       const ThreadDiff& diff) {
  if (!diff.values_compared) return {};
  if (!diff.control) {
    if (!diff.value) return {};
    return follow_difference(a, b, twins, diff.thread, diff.value->statement, diff.value->instance);
  }
  const ControlDifference& control = *diff.control;
  if (control.block == kNone || control.a.function == kNone || control.b.function == kNone)
    return {};
  // Only a branch sends them apart; behind a call it is the callee's doing.
  const Function& function = a.functions()[control.function];
  const Block& block = function.blocks[control.block];
  if (block.statement_count == 0) return {};
  const uint32_t last = block.first_statement + block.statement_count - 1;
  const Op op = function.statements[last].op;
  if (op != Op::br && op != Op::switch_ && op != Op::indirect_br) return {};
  const auto count = executed(a, diff.thread, control.function, control.block,
                              diff.common + (control.inside ? 1 : 0));
  if (!count) return std::unexpected(count.error());
  if (*count == 0) return {};
  return follow_difference(a, b, twins, diff.thread, {control.function, last}, *count);
}

}  // namespace vestige
