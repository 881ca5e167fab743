// Keyframes: the evaluator's side. What they hold is in keyframe.h.
//
// Nothing in a keyframe is trusted: every number that leads to memory is checked here.
#include <algorithm>

#include "trace/eval/evaluator.h"
#include "trace/state.h"

namespace vestige {

Keyframe Evaluator::begin_window(WindowNotes& notes) {
  Keyframe keyframe;
  notes_ = &notes;
  machine_.touches = &notes.touches;
  notes.begin(frames_);
  if (!started_) return keyframe;
  keyframe.beginning = false;
  keyframe.time = machine_.time;
  keyframe.depth = static_cast<uint32_t>(frames_.depth());
  keyframe.shadow_known = machine_.shadow.all_known();
  keyframe.rounding = machine_.rounding;
  keyframe.callee = machine_.callee;
  keyframe.ack = machine_.ack;
  keyframe.returned = machine_.returned;
  keyframe.returned_kind = machine_.returned_kind;
  if (machine_.returned_kind == kWidePart) {
    keyframe.returned_kinds = codes_.signatures().kinds(machine_.returned_signature);
    keyframe.returned_parts.assign(
        machine_.returned_parts.begin(),
        machine_.returned_parts.begin() + std::ssize(keyframe.returned_kinds));
  }
  if (machine_.signature != kNone) {
    keyframe.kinds = codes_.signatures().kinds(machine_.signature);
    keyframe.passed.assign(machine_.passed.begin(),
                           machine_.passed.begin() + std::ssize(keyframe.kinds));
  }
  return keyframe;
}

void Evaluator::finish_window(Keyframe& keyframe) {
  if (!keyframe.beginning) notes_->finish(keyframe);
  notes_ = nullptr;
  machine_.touches = nullptr;
}

Result<void> Evaluator::go_to(const Keyframe& keyframe, ToldValueSource& told_values) {
  last_code_ = code_ = nullptr;
  machine_.told_values = ToldValueFeed(&told_values);
  machine_.problems = {};
  machine_.rounding = 0;
  machine_.callee = machine_.ack = {};
  machine_.signature = kNone;
  machine_.returned = {};
  machine_.returned_kind = 0;
  machine_.returned_signature = kNone;
  machine_.time = machine_.time_before = 0;
  machine_.shadow.reset();
  frames_.start_over(0);
  statements_ = 0;
  started_ = abandoned_ = lost_ = false;
  events_ = EventFeed(*trace_, thread_);
  codes_.move_back();
  next_move_ = 0;
  cursor_.to_start();
  if (keyframe.beginning) return {};

  const auto bad = [&] {
    return fail(ErrorKind::corrupt, "the keyframe behind time " + std::to_string(keyframe.time) +
                                        " does not belong to this trace");
  };
  machine_.time = keyframe.time;
  move_modules(keyframe.time);
  machine_.rounding = keyframe.rounding;
  started_ = true;
  if (keyframe.depth > FrameStack::kMaxDepth) return bad();
  for (const Keyframe::Frame& frame : keyframe.frames)
    if (frame.place >= keyframe.depth || !restore_frame(frame)) return bad();
  if (!keyframe.frames.empty() && keyframe.frames.back().place + 1 != keyframe.depth) return bad();
  if (keyframe.frames.empty()) frames_.start_over(keyframe.depth);
  if (!restore_words(keyframe) || !restore_shadow(keyframe)) return bad();
  cursor_.stand_before(keyframe.time + 1);
  // Events behind the last path are to come.
  const Trace::State& state = trace_->state();
  events_ = EventFeed(*trace_, thread_, state.chunk_at(thread_, keyframe.time));
  do {
    if (auto next = events_.advance(); !next) return next;
  } while (events_.next_time() < keyframe.time);
  return {};
}

Result<void> Evaluator::skip_to(uint64_t time) {
  struct Nobody final : EvaluationObserver {
    void see(const Observation&) override {}
  } nobody;
  EvaluationObserver* const observer = machine_.observer;
  if (observer) machine_.observer = &nobody;
  Result<bool> more = true;
  while (more && *more && machine_.time < time) more = step();
  machine_.observer = observer;
  machine_.problems = {};
  statements_ = 0;
  if (!more) return std::unexpected(std::move(more.error()));
  return {};
}

bool Evaluator::restore_frame(const Keyframe::Frame& frame) {
  if (!frames_.empty() && frame.place <= frames_.top().place) return false;
  Activation where;
  where.block = frame.block;
  where.invoke = frame.invoke;
  where.time = frame.time;
  const auto& functions = trace_->functions();
  if (frame.function == kNone)
    return frame.slots.empty() && frames_.restore(frame.place, where, nullptr, false);
  if (frame.function >= functions.size()) return false;
  const Function& described = functions[frame.function];
  if (frame.invoke != kNone && frame.invoke >= described.statements.size()) return false;
  const FunctionCode& function = codes_.function(frame.function);
  if (!frames_.restore(frame.place, where, &function, frame.exact)) return false;
  for (const Keyframe::Slot& slot : frame.slots) {
    if (slot.slot >= function.first_constant) return false;
    frames_.set(slot.slot, slot.value, slot.known);
  }
  return true;
}

bool Evaluator::restore_words(const Keyframe& keyframe) {
  machine_.callee = keyframe.callee;
  machine_.ack = keyframe.ack;
  machine_.returned = keyframe.returned;
  machine_.returned_kind = keyframe.returned_kind;
  if (keyframe.returned_parts.size() != keyframe.returned_kinds.size() ||
      keyframe.returned_parts.size() > machine_.returned_parts.size())
    return false;
  machine_.returned_signature = codes_.signatures().number(keyframe.returned_kinds);
  std::ranges::copy(keyframe.returned_parts, machine_.returned_parts.begin());
  if (keyframe.passed.size() != keyframe.kinds.size()) return false;
  machine_.signature = codes_.signatures().number(keyframe.kinds);
  if (machine_.passed.size() < keyframe.passed.size())
    machine_.passed.resize(keyframe.passed.size());
  std::ranges::copy(keyframe.passed, machine_.passed.begin());
  return true;
}

bool Evaluator::restore_shadow(const Keyframe& keyframe) {
  Shadow& shadow = machine_.shadow;
  if (!keyframe.shadow_known) shadow.forget_all();
  size_t from = 0;
  for (const FirstTouches::Run& run : keyframe.runs) {
    if (run.at >= Shadow::kSize || run.size > Shadow::kSize - run.at ||
        run.size > keyframe.bytes.size() - from)
      return false;
    shadow.set_bytes(run.at, {keyframe.bytes.data() + from, run.size});
    from += run.size;
  }
  return from == keyframe.bytes.size();
}

}  // namespace vestige
