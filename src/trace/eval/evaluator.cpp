#include "trace/eval/evaluator.h"

#include <algorithm>
#include <utility>

#include "trace/eval/rounding.h"
#include "trace/state.h"

namespace vestige {

namespace {

std::unexpected<Error> too_deep(uint64_t time) {
  return fail(ErrorKind::unsupported,
              "time " + std::to_string(time) + ": the call stack is too deep to keep its values");
}

}  // namespace

Evaluator::Evaluator(const Trace& trace, uint32_t thread, const EvaluationInputs& inputs,
                     PathCursor cursor)
    : trace_(&trace),
      thread_(thread),
      cursor_(std::move(cursor)),
      events_(trace, thread),
      codes_(trace, inputs),
      machine_(inputs.told_values),
      tells_(inputs.told_values != nullptr) {}

Result<Evaluator> Evaluator::open(const Trace& trace, uint32_t thread,
                                  const EvaluationInputs& inputs) {
  auto cursor = trace.walk(thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  Evaluator evaluator(trace, thread, inputs, std::move(*cursor));
  if (!inputs.told_values) {
    evaluator.forget();
    evaluator.machine_.shadow.go_blind();
  }
  return evaluator;
}

void Evaluator::observe(EvaluationObserver& observer, std::vector<bool> statements) {
  last_code_ = code_ = nullptr;
  machine_.observer = &observer;
  machine_.shows_wide = observer.wants_wide();
  machine_.shows_calls = observer.wants_calls();
  machine_.log = observer.access_log();
  goes_round_ = observer.goes_round();
  codes_.observe(std::move(statements), false);
}

void Evaluator::observe_only(EvaluationObserver& observer, std::vector<bool> statements) {
  observe(observer, {});
  codes_.observe(std::move(statements), true);
}

void Evaluator::observe_all(EvaluationObserver& observer) {
  uint64_t statements = 0;
  for (const Function& function : trace_->functions()) statements += function.statements.size();
  observe(observer, std::vector<bool>(statements, true));
}

void Evaluator::watch(EvaluationObserver& observer, std::vector<std::vector<bool>> bindings) {
  last_code_ = code_ = nullptr;
  machine_.observer = &observer;
  machine_.shows_wide = observer.wants_wide();
  machine_.shows_calls = observer.wants_calls();
  goes_round_ = false;
  codes_.watch(std::move(bindings));
}

Result<bool> Evaluator::step() {
  auto paths = run(1);
  if (!paths) return std::unexpected(std::move(paths.error()));
  return *paths == 1;
}

Result<uint64_t> Evaluator::run(uint64_t most, uint64_t statements) {
  uint64_t paths = 0;
  Rounding rounding(machine_.rounding);
  for (; paths < most && statements_ < statements; ++paths) {
    last_code_ = code_ = nullptr;
    if (!cursor_.next()) {
      if (const Error* error = cursor_.error()) return std::unexpected(*error);
      if (auto applied = apply_events(UINT64_MAX); !applied)
        return std::unexpected(std::move(applied.error()));
      finish();
      break;
    }
    const uint64_t time = cursor_.time();
    if (time != machine_.time + 1 || !started_) {
      if (auto begun = begin_at(time); !begun) return std::unexpected(std::move(begun.error()));
    }
    if (events_.next_time() < time) {
      if (auto applied = apply_events(time); !applied)
        return std::unexpected(std::move(applied.error()));
    }
    const PathCode& code = codes_.find(cursor_.path());
    machine_.time = time;
    if (abandoned_) {
      machine_.told_values.skip_abandoned(time);
      abandoned_ = false;
    }
    if (machine_.told_index() == kRoundingSet) [[unlikely]] {
      rounding.set(machine_.rounding = static_cast<uint32_t>(machine_.told_values.next().value));
      machine_.told_values.advance();
    }
    if (machine_.told_index() == kValuesLost) [[unlikely]]
      lose_values();
    if (following_) follow_row({&cursor_.path().id, 1});
    if (auto done = evaluate(code, cursor_.path()); !done)
      return std::unexpected(std::move(done.error()));
    if (goes_round_ && last_code_) paths += show_rounds(most - paths - 1);
  }
  return paths;
}

Result<void> Evaluator::catch_up() {
  machine_.told_values.look_again();
  return started_ ? events_.look_again() : Result<void>();
}

// Short loops are done before it is known how to do them at once.
uint64_t Evaluator::show_rounds(uint64_t most) {
  constexpr uint64_t kFew = 12;
  if (cursor_.same_ahead(kFew) < kFew || most < kFew) return 0;
  const uint64_t until = machine_.observer->rounds_until(machine_.time);
  if (until <= machine_.time) return 0;
  const uint64_t rounds = go_round(std::min(most, until - machine_.time), shown_steps_);
  if (rounds != 0) machine_.observer->go_round(rounds, shown_steps_);
  return rounds;
}

uint64_t Evaluator::go_round(uint64_t most, std::vector<uint64_t>& steps) {
  if (!last_code_ || notes_ || abandoned_ || machine_.touches || proving_) return 0;
  const PathCode& code = *last_code_;
  if (code.round && !code.round->possible()) return 0;
  // No event may lie between them.
  if (events_.next_time() <= machine_.time + 1) return 0;
  uint64_t rounds = cursor_.same_ahead(std::min(most, events_.next_time() - machine_.time - 1));
  if (rounds == 0) return 0;
  if (!code.round) code.round = std::make_shared<const RoundCode>(code);
  const RoundCode& round = *code.round;
  Activation& frame = frames_.top();
  uint64_t* slots = frames_.slots(frame);
  machine_.known = frame.exact ? nullptr : frames_.known(frame);
  if (!round.possible() || !round.find_steps(slots, machine_.known, rounds, round_steps_)) return 0;
  const Rounding rounding(machine_.rounding);
  // Where much is told, going to the next of it does not pay.
  constexpr uint64_t kFar = 16;
  const uint64_t first = machine_.time;
  const uint64_t untold = machine_.told_values.next_time() - first - 1;
  uint64_t left = rounds;
  if (round.jumps() && untold >= std::min(rounds, kFar)) {
    rounds = std::min(rounds, untold);
    round.jump(slots, machine_.shadow, rounds - 1, round_steps_);
    machine_.time += rounds - 1;
    left = 1;
  }
  for (; left != 0; --left) {
    const uint32_t wanted = machine_.told_values.index_at(machine_.time + 1);
    if (wanted == kRoundingSet || wanted == kValuesLost) break;
    ++machine_.time;
    run_cells(machine_, round.cells(), slots, !frame.exact);
    if (machine_.told_values.next_time() <= machine_.time) drop_untaken();
  }
  rounds = machine_.time - first;
  if (rounds == 0) return 0;
  machine_.time_before = machine_.time - 1;
  frame.time = machine_.time;
  statements_ += rounds * code.statements;
  if (following_) follow_row(cursor_.ahead().first(rounds));
  cursor_.skip_same(rounds);
  steps = round_steps_.addresses;
  return rounds;
}

// The thread was in the middle of a path when it ended, and was told values of it. What comes
// behind those is a mistake, except where the recorder stopped: it takes paths and values one after
// the other, while the thread goes on.
void Evaluator::finish() {
  machine_.function = nullptr;
  const bool stopped = trace_->threads()[thread_].end == EndReason::stopped;
  if (abandoned_) machine_.told_values.skip_abandoned(machine_.time + 1);
  for (; !machine_.told_values.ended(); machine_.told_values.advance()) {
    const ToldValue& told_value = machine_.told_values.next();
    if (told_value.index == kValuesLost || told_value.time == machine_.time + 1) continue;
    if (stopped && told_value.time > machine_.time) break;
    machine_.report(EvaluationProblem::Kind::not_taken, kNone, told_value.index);
  }
}

// The thread's first path, or the first one behind a hole.
Result<void> Evaluator::begin_at(uint64_t time) {
  const bool hole = time != 1;
  move_modules(time);
  machine_.time = time - 1;
  auto stack = trace_->stack(thread_, time - 1);
  if (!stack) return std::unexpected(std::move(stack.error()));
  frames_.cut(0);
  if (notes_) notes_->left(frames_);
  if (machine_.observer) machine_.observer->cut(0);
  for (const Trace::StackFrame& frame : *stack)
    if (!push_unknown(frame.path, frame.time)) return too_deep(time);
  if (hole) {
    forget();
    while (machine_.told_values.next_time() < time) {
      if (machine_.told_values.next().index == kValuesLost)
        lose_values();
      else
        machine_.told_values.advance();
    }
  }
  // The events up to here are in that stack.
  if (!std::exchange(started_, true)) {
    if (auto first = events_.advance(); !first) return first;
  }
  while (events_.next_time() < time) {
    const Event& event = events_.next();
    if (event.kind == format::EventKind::abandoned && event.time + 1 == time) {
      if (auto applied = apply(event); !applied) return applied;
    }
    if (auto next = events_.advance(); !next) return next;
  }
  return {};
}

void Evaluator::move_modules(uint64_t before) {
  const ModuleMoves* moves = codes_.inputs().moves;
  if (!moves) return;
  while (next_move_ < moves->list.size() && moves->list[next_move_].time < before)
    codes_.move(moves->list[next_move_++]);
}

Result<void> Evaluator::apply_events(uint64_t before) {
  move_modules(before);
  while (events_.next_time() < before) {
    auto applied = apply(events_.next());
    if (auto next = events_.advance(); !next) return next;
    if (!applied) return applied;
  }
  return {};
}

Result<void> Evaluator::apply(const Event& event) {
  switch (event.kind) {
    case format::EventKind::resync:
      frames_.cut(event.stack.keep);
      if (notes_) notes_->left(frames_);
      if (machine_.observer) machine_.observer->cut(event.stack.keep);
      for (const Frame& frame : event.stack.frames)
        if (!push_unknown(frame.path, frame.time)) return too_deep(event.time);
      if (event.reason == format::ResyncReason::gap) {
        forget();
        forget_frames();
      }
      return {};
    case format::EventKind::abandoned:
      // The thread starts afresh: see forget_values() in the runtime.
      abandoned_ = true;
      machine_.callee = machine_.ack = {};
      machine_.rounding = 0;
      if (tells_ && !lost_) {
        machine_.shadow.reset();
        if (notes_) notes_->touches.touch_all();
      }
      return {};
    case format::EventKind::unregistered:
      forget();
      forget_frames();
      return {};
    default:
      return {};
  }
}

void Evaluator::lose_values() {
  machine_.told_values.advance();
  lost_ = true;
  forget();
  forget_frames();
  machine_.shadow.go_blind();
}

// What the thread itself remembers is not known any longer.
void Evaluator::forget() {
  machine_.shadow.forget_all();
  if (notes_) notes_->touches.touch_all();
  machine_.callee = machine_.ack = {0, false};
  machine_.returned.known = false;
  if (machine_.returned_kind == kWidePart) machine_.returned_kind = 0;
}

void Evaluator::forget_frames() {
  if (notes_) notes_->forgets(frames_);
  frames_.forget_all();
  if (machine_.observer) machine_.observer->cut(0);
}

bool Evaluator::push_unknown(uint32_t path, uint64_t time) {
  Activation where;
  where.time = time;
  if (const Path* last = path == 0 ? nullptr : trace_->path(path)) {
    const Function& function = trace_->functions()[last->function];
    const Segment& segment = function.segments[last->segments.back()];
    where.block = segment.block;
    if (segment.end == SegmentEnd::call && segment.statement_count > 0) {
      const uint32_t call = segment.first_statement + segment.statement_count - 1;
      if (function.statements[call].op == Op::invoke) where.invoke = call;
    }
  }
  return frames_.push_unknown(where);
}

Result<void> Evaluator::evaluate(const PathCode& code, const Path& path) {
  machine_.function = code.function;
  if (code.arguments > machine_.passed.size()) machine_.passed.resize(code.arguments);
  if (code.enters) {
    if (!frames_.push(*code.function)) return too_deep(machine_.time);
    machine_.depth = frames_.depth() - 1;
    if (code.watched) machine_.observer->enter(code.function->index, machine_.depth, machine_.time);
    if (proving_) proof_.enter(*code.function);
    take_arguments(code);
  } else {
    if (frames_.empty() || frames_.top().function != code.function) {
      proof_.fail();
      if (!continue_in(*code.function)) return too_deep(machine_.time);
      if (code.watched) machine_.observer->enter(code.function->index, frames_.depth() - 1, 0);
    }
    if (notes_) notes_->goes_on(code, path, codes_, frames_);
    machine_.depth = frames_.depth() - 1;
    const uint32_t invoke = frames_.top().invoke;
    if (code.result_of != kNone)
      take_result(code.result_of);
    else if (invoke < code.function->function.statements.size() && code.behind == kNone &&
             !code.at_pad)
      take_result(invoke);
  }

  bool entry_known = true;
  const Cell* cells = code.entries.empty() ? code.cells.data() : choose_entry(code, entry_known);
  if (!entry_known || code.tracked_only || !machine_.shadow.all_known()) frames_.make_tracked();
  Activation& frame = frames_.top();
  if (!code.enters && frame.block == code.end_block) last_code_ = &code;
  code_ = &code;
  machine_.time_before = frame.time;
  machine_.known = frame.exact ? nullptr : frames_.known(frame);
  if (proving_)
    proof_.run(machine_, cells, frames_.slots(frame), !frame.exact);
  else
    run_cells(machine_, cells, frames_.slots(frame), !frame.exact);
  statements_ += code.statements;
  if (notes_) notes_->count(code, path.id);

  if (code.returns) {
    if (!code.function->own_known)
      machine_.ack = {0, false};
    else if (code.function->own != 0)
      machine_.ack = {code.function->own, true};
  }
  ended_ = &path;
  if (code.leaves) {
    if (code.watched) machine_.observer->leave(machine_.depth);
    frames_.pop();
    if (proving_) proof_.leave();
    if (notes_) notes_->left(frames_);
  } else {
    frame.block = code.end_block;
    frame.invoke = code.invoke;
    frame.time = machine_.time;
  }
  if (machine_.told_values.next_time() <= machine_.time) drop_untaken();
  return {};
}

// The path belongs to an activation whose beginning was not seen.
bool Evaluator::continue_in(const FunctionCode& function) {
  if (frames_.empty()) {
    if (!frames_.push_unknown({})) return false;
  } else if (frames_.top().function) {
    machine_.report(EvaluationProblem::Kind::activation, kNone, 0);
    frames_.pop();
    if (notes_) notes_->left(frames_);
    if (!frames_.push_unknown({})) return false;
  }
  return frames_.settle(function);
}

const Cell* Evaluator::choose_entry(const PathCode& code, bool& known) const {
  const uint32_t from = frames_.top().block;
  if (code.entries[code.last_entry].first == from)
    return code.cells.data() + code.entries[code.last_entry].second;
  const auto found = std::ranges::lower_bound(code.entries, from, {},
                                              [](const auto& entry) { return entry.first; });
  if (found != code.entries.end() && found->first == from) {
    code.last_entry = static_cast<uint32_t>(found - code.entries.begin());
    return code.cells.data() + found->second;
  }
  known = false;
  return code.cells.data() + code.unknown_entry;
}

void Evaluator::drop_untaken() {
  while (machine_.told_values.next_time() <= machine_.time) {
    const ToldValue& told_value = machine_.told_values.next();
    if (told_value.time < machine_.time) {
      machine_.report(EvaluationProblem::Kind::out_of_order, kNone, told_value.time);
    } else {
      machine_.report(EvaluationProblem::Kind::not_taken, told_value.index, told_value.index);
    }
    machine_.told_values.advance();
  }
}

uint32_t Evaluator::function() const {
  if (frames_.empty() || !frames_.top().function) return kNone;
  return frames_.top().function->index;
}

std::optional<uint64_t> Evaluator::slot_value(uint32_t slot) const {
  if (slot == kNone || codes_.observes_only() || !frames_.is_known(frames_.top(), slot))
    return std::nullopt;
  return frames_.slots(frames_.top())[slot];
}

std::optional<uint64_t> Evaluator::value(uint32_t statement) const {
  if (function() == kNone) return std::nullopt;
  const FunctionCode& code = *frames_.top().function;
  const auto& statements = code.function.statements;
  if (statement >= statements.size() || !code.kept.simple(statements[statement].type))
    return std::nullopt;
  return slot_value(code.statement_slots[statement]);
}

std::optional<uint64_t> Evaluator::argument(uint32_t number) const {
  if (function() == kNone) return std::nullopt;
  const FunctionCode& code = *frames_.top().function;
  const auto& arguments = code.function.arguments;
  if (number >= arguments.size() || !code.kept.simple(arguments[number])) return std::nullopt;
  return slot_value(code.argument_slots[number]);
}

}  // namespace vestige
