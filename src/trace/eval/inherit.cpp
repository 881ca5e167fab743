// How the thread of a forked process begins: its parent's frames and shadow are its own.
#include "trace/eval/evaluator.h"
#include "trace/told/told.h"

namespace vestige {

// When the parent's activations were active last, in the child's time.
Result<void> Evaluator::take_times() {
  auto stack = trace_->stack(thread_, machine_.time);
  if (!stack) return std::unexpected(std::move(stack.error()));
  for (Activation& activation : frames_.activations())
    activation.time = activation.place < stack->size() ? (*stack)[activation.place].time : 0;
  return {};
}

Result<void> Evaluator::inherit() {
  const auto parent = forked_from(*trace_, thread_);
  if (!parent || !tells_) return {};
  const auto told = tells_values(trace_->state(), *parent);
  if (!told) return std::unexpected(told.error());
  if (!*told) return {};
  const uint64_t time = trace_->threads()[thread_].parent_time;
  ToldValues values(trace_->state(), *parent);
  const EvaluationInputs& own = codes_.inputs();
  auto before =
      open(*trace_, *parent, {own.addresses, &values, own.moves ? own.moves->parent : nullptr});
  if (!before) return std::unexpected(std::move(before.error()));
  if (auto begun = before->inherit(); !begun) return begun;
  if (auto there = before->skip_to(time); !there) return there;
  if (before->time() != time) return {};  // that part of the parent is not in the trace

  codes_.adopt(before->codes_);
  frames_ = std::move(before->frames_);
  Machine& from = before->machine_;
  machine_.shadow = std::move(from.shadow);
  machine_.callee = from.callee;
  machine_.ack = from.ack;
  machine_.passed = std::move(from.passed);
  machine_.signature = from.signature;
  machine_.returned = from.returned;
  machine_.returned_kind = from.returned_kind;
  machine_.returned_parts = from.returned_parts;
  machine_.returned_signature = from.returned_signature;
  machine_.rounding = from.rounding;
  machine_.time = trace_->threads()[thread_].first_time - 1;
  if (auto told_times = take_times(); !told_times) return told_times;
  lost_ = before->lost_;
  started_ = true;
  return events_.advance();
}

}  // namespace vestige
