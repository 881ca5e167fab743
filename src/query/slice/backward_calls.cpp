#include <bit>
#include <utility>

#include "query/slice/backward_slicer.h"

namespace vestige {

// What waited for the activation and is given by this path.
void BackwardSlicer::take_activation() {
  ActivationNeeds& needs = *needs_;
  if (!needs.results.empty())
    for (const auto& [number, bits] : shape_->words)
      for (uint64_t left = needs.results.word(number) & bits; left != 0; left &= left - 1) {
        const uint32_t statement = 64 * number + static_cast<uint32_t>(std::countr_zero(left));
        want(shape_->item_of(statement), needs.results.take(statement), SliceReason::operand);
      }
  if (needs.edge && !shape_->ends.empty()) {
    const uint32_t end = shape_->ends.back();
    const Token edge = std::exchange(needs.edge, {});
    // A jump to one place decides nothing: whoever asks is decided on as the jump is.
    if (shape_->items[end].chooses)
      want_branch(end, edge);
    else
      needs.blocks.add(shape_->items[end].block, edge);
  }
  needs.branches.for_each([&](uint32_t block, Token token) {
    const auto decider = shape_->decided(block);
    if (!decider) return;
    needs.branches.take(block);
    need_decider(*decider, token);
  });
  needs.blocks.for_each([&](uint32_t block, Token token) {
    const Decider* decider = shape_->decider_of(block);
    if (!decider) return;
    needs.blocks.take(block);
    need_decider(*decider, token);
  });
  if (needs.returned) {
    if (shape_->items.empty() || shape_->items.back().kind != StepKind::ret)
      members_.end(needs.returned, SliceEnd::activation);
    else
      want(static_cast<uint32_t>(shape_->items.size()) - 1, needs.returned, SliceReason::returned);
    needs.returned = {};
  }
  if (!needs.in_call()) return;
  if (shape_->stop != kNone) {
    want(shape_->stop, {}, SliceReason::operand);
  } else {
    // What was entered here was not called: a signal came, for example.
    Token any = needs.entered;
    needs.passed.for_each([&](uint32_t, Token token) { lower(any, token); });
    members_.end(any, SliceEnd::activation);
    needs.clear_call();
  }
}

void BackwardSlicer::visit_call(const ShapeItem& item, const Wanted& wanted) {
  ActivationNeeds& needs = this->needs();
  const std::span<const Use> uses = shape_->uses_of(item);
  const bool indirect = shape_->function->statements[item.statement].callee == kNone;
  Token known = needs.call;
  const auto member_for = [&](SliceReason reason, Token of) {
    if (known) return members_.again(known, reason, of);
    return known = member(item.statement, {of, reason, 0, {}});
  };
  const auto decides = [&](Token token) {
    need_branch(item, token);
    if (indirect && !uses.empty() && !options_.copies_only) need(uses.back(), token);
  };
  const bool criterion = is_at(place_.time) && item.statement == options_.statement.statement;
  if (known) decides(known);
  if (criterion) {
    if (!known) decides(known = member(item.statement, {{}, SliceReason::criterion, 0, {}}));
    // All of it is wanted: what it gave, and what it was given.
    need_uses(item, known);
    if (!needs.resolved) members_.end(known, SliceEnd::result);
  }
  if (wanted.of) {
    const Token token = member_for(SliceReason::operand, wanted.of);
    decides(token);
    need_uses(item, token);
    members_.end(token, SliceEnd::result);
  }
  if (wanted.control) decides(member_for(SliceReason::control, wanted.control));
  if (needs.entered) decides(member_for(SliceReason::entered, needs.entered));
  needs.passed.for_each([&](uint32_t number, Token of) {
    const Token token = member_for(SliceReason::argument, of);
    decides(token);
    if (number + 1 < uses.size())
      need(uses[number], token);
    else
      members_.end(token, SliceEnd::argument);
  });
  needs.clear_call();
}

// What the unrecorded code that was called read and wrote, before the path went on. The call needs
// what it was given; what it computed, its result too, also needs what it read, and a byte that it
// copied that one byte. visit_call adds what decided on the call.
void BackwardSlicer::take_effects() {
  const std::span<const CallEffect> effects = cursor().block().effects_of(path_);
  if (effects.empty() || (!needs_ && effect_needs_.empty())) return;
  item_ = kNone;
  const uint32_t call = stopped_at(*shape_->function, *step_->before);
  const Token criterion = back_.time != 0 && is_at(back_.time) ? needs().call : Token{};
  Token member = needs().call, nearest = criterion;
  const auto member_for = [&](SliceReason reason, Token of, uint32_t at) {
    Token token;
    if (member)
      token = members_.again(member, reason, of, at);
    else
      token = member =
          members_.enter(step_->path->function, call, step_->before_time, reason, of, at);
    lower(nearest, token);
    return token;
  };

  const EffectNeed* computed = nullptr;  // who needs what was not copied
  bool outside = false, reads = false;
  for (const EffectNeed& need : effect_needs_) {
    if (effects[need.effect].kind == CallEffect::Kind::copies) continue;
    outside |= effects[need.effect].kind == CallEffect::Kind::brings;
    if (!computed || need.bytes.token.depth < computed->bytes.token.depth) computed = &need;
  }
  for (const CallEffect& effect : effects) {
    outside |= criterion && effect.kind == CallEffect::Kind::brings;
    reads |= effect.kind == CallEffect::Kind::reads;
  }
  Token reader = criterion;
  if (computed)
    lower(reader, member_for(SliceReason::memory, computed->bytes.token, computed->bytes.at));
  Token arguments = nearest;
  const Token result = needs().results.get(call);
  if (result && reads && !options_.memory_only)
    lower(reader, member_for(SliceReason::operand, result, 0));
  uint64_t base = 0;  // the ranges that are read, one behind the other
  for (uint32_t i = 0; i < effects.size(); ++i) {
    const CallEffect& effect = effects[i];
    if (effect.kind == CallEffect::Kind::copies) {
      wanted_bytes_.clear();
      for (const EffectNeed& need : effect_needs_)
        if (need.effect == i) wanted_bytes_.push_back(need.bytes);
      for (const TokenBytes& bytes : wanted_bytes_)
        lower(arguments, member_for(SliceReason::memory, bytes.token, bytes.at));
      if (criterion) need_label(effect.label, effect.length, criterion, base);
      need_copied(effect.label, wanted_bytes_, member, base);
    } else if (effect.kind == CallEffect::Kind::reads && reader && !options_.copies_only) {
      need_label(effect.label, effect.length, reader, base);
    }
    base += effect.length;
  }
  if (!member) return;
  if (arguments && !criterion && !options_.copies_only)
    for (const Operand& operand : shape_->function->statements[call].operands) {
      if (operand.kind == Operand::Kind::statement)
        need({Use::Kind::result, operand.index}, arguments);
      else if (operand.kind == Operand::Kind::argument)
        need({Use::Kind::argument, operand.index}, arguments);
    }
  if (outside) members_.end(member, SliceEnd::outside);
  if (nearest) needs().call = nearest;
}

// At the beginning of a path that goes on in its activation.
void BackwardSlicer::come_back() {
  if (!step_->before || step_->before_time == 0 || step_->before_time >= step_->time) {
    drop(*needs_);
    waiting().give_back(needs_);
    return;
  }
  if (step_->returned) {
    const Function& function = *shape_->function;
    const uint32_t call = stopped_at(function, *step_->before);
    if (const Token of = needs_->results.take(call)) {
      const Token token = needs_->call
                              ? members_.again(needs_->call, SliceReason::operand, of)
                              : members_.enter(step_->path->function, call, step_->before_time,
                                               SliceReason::operand, of);
      lower(needs_->call, token);
      needs_->resolved = true;
      if (!members_.last(token)) waiting().activation(step_->time - 1).returned = token;
    }
  }
  waiting().move(needs_, step_->before_time);
}

// At the beginning of an activation: what it needs is its caller's to give.
void BackwardSlicer::enter() {
  ActivationNeeds& needs = *needs_;
  // What no branch of the activation decided on ran because it was entered.
  Token undecided = needs.entry;
  needs.blocks.for_each([&](uint32_t, Token token) { lower(undecided, token); });
  needs.branches.for_each([&](uint32_t, Token token) { lower(undecided, token); });
  const uint64_t caller_time = step_->caller_time;
  const bool known = step_->has_caller && caller_time != 0 && caller_time < step_->time;
  if (undecided && known) lower(waiting().activation(caller_time).entered, undecided);
  if (undecided && step_->has_caller && !known) members_.end(undecided, SliceEnd::activation);
  needs.arguments.for_each([&](uint32_t number, Token token) {
    if (known && step_->called)
      waiting().activation(caller_time).passed.add(number, token);
    else
      members_.end(token, SliceEnd::argument);
  });
  needs.clear();
  waiting().give_back(&needs);
}

// Nothing before this is known of the activation.
void BackwardSlicer::drop(ActivationNeeds& needs) {
  Token any;
  for (const NumberedNeeds* list :
       {&needs.results, &needs.arguments, &needs.blocks, &needs.branches, &needs.passed})
    list->for_each([&](uint32_t, Token token) { lower(any, token); });
  for (const Token token : {needs.edge, needs.entry, needs.returned, needs.entered})
    lower(any, token);
  if (any) members_.end(any, SliceEnd::activation);
  needs.clear();
}

}  // namespace vestige
