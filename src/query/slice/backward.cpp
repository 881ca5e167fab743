#include "query/slice/backward.h"

#include <algorithm>
#include <map>

#include "query/slice/nearest_bytes.h"
#include "query/slice/waiting.h"

namespace vestige {

namespace {

class BackwardSlicer {
 public:
  BackwardSlicer(const SliceGround& ground, const SliceOptions& options,
                 const CriterionPlace& place, SliceMembers& members)
      : ground_(ground), options_(options), place_(place), members_(members) {}

  Result<void> run();

 private:
  // The nearest of those who need an item of the path.
  struct Wanted {
    Token of;
    SliceReason reason = SliceReason::operand;
    uint32_t at = 0;  // of memory: where in what was read
    Token control;    // of a call: who needs it as a branch
  };
  struct CopiedRange {
    uint32_t item = 0;
    TokenBytes bytes;
  };
  // Someone who needs what an effect of the call before the path wrote; of a copy some bytes of it.
  struct EffectNeed {
    uint32_t effect = 0;
    TokenBytes bytes;
  };

  // A thread, and what waits there.
  struct Strand {
    Strand(const SliceGround& ground, uint32_t number)
        : thread(number), cursor(ground, number), waiting(cursor) {}
    const uint32_t thread;
    BlockCursor cursor;
    Waiting waiting;
  };

  Strand& strand(uint32_t thread);
  Result<uint64_t> last_order(Strand& strand) const;
  Result<void> take_paths(uint64_t order);
  uint64_t order(uint32_t thread, uint64_t time) const {
    return ground_.dependences.order().order(thread, time);
  }
  BlockCursor& cursor() { return strand_->cursor; }
  Waiting& waiting() { return strand_->waiting; }
  // The path at hand is that of this time in the criterion's thread.
  bool is_at(uint64_t time) const {
    return step_->time == time && strand_->thread == place_.thread;
  }
  bool take_path(uint32_t path);
  bool take_written();
  bool want_written(uint32_t item, Token token, uint32_t at, const ByteRange* range);
  void take_activation();
  void visit(uint32_t number);
  void visit_phi(const ShapeItem& item, Token token);
  void visit_copy(uint32_t number, const ShapeItem& item);
  void visit_call(const ShapeItem& item, const Wanted& wanted);
  void take_effects();
  void come_back();
  void enter();
  void drop(ActivationNeeds& needs);

  void want(uint32_t item, Token token, SliceReason reason, uint32_t at = 0) {
    uint64_t& word = wanted_bits_[item / 64];
    const uint64_t bit = uint64_t{1} << (item % 64);
    if (word & bit) {
      Wanted& wanted = wanted_[item];
      if (token.depth < wanted.of.depth) wanted = {token, reason, at, wanted.control};
      return;
    }
    word |= bit;
    wanted_[item] = {token, reason, at, {}};
  }
  void want_branch(uint32_t item, Token token) {
    if (shape_->items[item].kind != StepKind::call) {
      want(item, token, SliceReason::control);
      return;
    }
    // Whoever needs it as a branch does not need its result.
    want(item, {}, SliceReason::operand);
    lower(wanted_[item].control, token);
  }
  void need(const Use& use, Token token);
  void need_uses(const ShapeItem& item, Token token);
  void need_decider(const Decider& decider, Token token);
  void need_branch(const ShapeItem& item, Token token) {
    if (controlled_ && !members_.last(token)) need_decider(item.decider, token);
  }
  void need_label(Label label, uint64_t bytes, Token token, uint64_t base = 0);
  void need_copied(Label label, std::vector<TokenBytes>& wanted, Token member, uint64_t base = 0);
  void need_stretch(Label label, const ByteRange& range, uint64_t base, Token token);
  void need_part(const LabelPart& part, uint64_t offset, uint64_t length, uint64_t at, Token token);
  void need_written(Label label, uint64_t at, Token token, const ByteRange* range);
  void need_foreign(const LabelPart& part, uint64_t at, Token token, const ByteRange* range);
  static TokenBytes bytes_for(const ByteRange& range, Token token, uint32_t at) {
    return {range.first, range.length, token, at};
  }
  Token member(uint32_t statement, const Wanted& wanted) {
    return members_.enter(step_->path->function, statement, step_->time, wanted.reason, wanted.of,
                          wanted.at);
  }
  ActivationNeeds& needs() {
    if (!needs_) needs_ = waiting().take_unused();
    return *needs_;
  }

  const SliceGround& ground_;
  const SliceOptions& options_;
  const CriterionPlace& place_;
  SliceMembers& members_;
  std::map<uint32_t, Strand> strands_;
  Strand* strand_ = nullptr;  // the one at hand
  uint64_t others_ = 0;       // something waits in another strand at this order, and nothing later
  const bool controlled_ = !options_.data_only && !options_.copies_only && !options_.memory_only;
  CallReturn back_;  // of the criterion
  // Of the path that is taken.
  uint32_t path_ = 0, item_ = 0;
  bool impossible_ = false, full_ = false;
  const PathStep* step_ = nullptr;
  const PathShape* shape_ = nullptr;
  ActivationNeeds* needs_ = nullptr;
  std::vector<WrittenNeed> written_;
  std::vector<CopiedRange> copied_;
  std::vector<EffectNeed> effect_needs_;
  std::vector<TokenBytes> wanted_bytes_;
  std::vector<uint64_t> wanted_bits_;
  std::vector<Wanted> wanted_;
  std::vector<uint64_t> part_ends_;
};

Result<void> BackwardSlicer::run() {
  if (ground_.dependences.of(place_.thread).empty()) return impossible_dependence();
  strand_ = &strand(place_.thread);
  members_.set_thread(place_.thread);
  const auto back = find_return(cursor(), options_.statement, place_.time);
  if (!back) return std::unexpected(back.error());
  back_ = *back;
  waiting().activation(back_.time != 0 ? back_.time : place_.time);
  while (true) {
    Strand* latest = nullptr;
    uint64_t order = 0;
    others_ = 0;
    for (auto& [thread, one] : strands_) {
      const auto last = last_order(one);
      if (!last) return std::unexpected(last.error());
      if (*last > order) {
        others_ = std::exchange(order, *last);
        latest = &one;
      } else {
        others_ = std::max(others_, *last);
      }
    }
    if (!latest) return {};
    strand_ = latest;
    members_.set_thread(latest->thread);
    if (auto taken = take_paths(order); !taken) return taken;
  }
}

BackwardSlicer::Strand& BackwardSlicer::strand(uint32_t thread) {
  const auto found = strands_.find(thread);
  if (found != strands_.end()) return found->second;
  return strands_
      .emplace(std::piecewise_construct, std::forward_as_tuple(thread),
               std::forward_as_tuple(ground_, thread))
      .first->second;
}

// Of the last path of the strand where something waits, whose block is open then; 0: nothing does.
Result<uint64_t> BackwardSlicer::last_order(Strand& strand) const {
  Waiting& waiting = strand.waiting;
  if (waiting.impossible()) return impossible_dependence();
  while (true) {
    const size_t open = waiting.open_block(), block = waiting.last_block();
    const bool later = block != SIZE_MAX && open != SIZE_MAX && block > open;
    const uint32_t path = open == SIZE_MAX || later ? kNone : waiting.last_path();
    if (path != kNone) return order(strand.thread, strand.cursor.places()[open].first_time + path);
    if (block == SIZE_MAX) return 0;
    if (auto gone = strand.cursor.go_to(block); !gone) return std::unexpected(gone.error());
    waiting.open(block);
  }
}

// The paths of the strand at hand, from that of this order on, until another strand has a later
// one.
Result<void> BackwardSlicer::take_paths(uint64_t order) {
  while (order > others_) {
    if (!take_path(waiting().last_path()) || waiting().impossible()) return impossible_dependence();
    full_ |= waiting().full();
    if (members_.too_many() || full_) return too_large(options_, full_);
    const auto last = last_order(*strand_);
    if (!last) return std::unexpected(last.error());
    order = *last;
  }
  return {};
}

bool BackwardSlicer::take_path(uint32_t path) {
  const DependenceBlock& block = cursor().block();
  path_ = path;
  step_ = &block.steps[path];
  shape_ = block.shapes[path];
  needs_ = waiting().take(path, written_);
  const size_t items = shape_->items.size();
  if (wanted_.size() < items) {
    wanted_.resize(items);
    wanted_bits_.resize(items / 64 + 1);
  }
  if (!take_written()) return false;
  if (needs_) take_activation();
  if (back_.time != 0 && is_at(back_.time)) {
    // The criterion is a call, and it came back here.
    const Token token = members_.enter(options_.statement.function, options_.statement.statement,
                                       place_.time, SliceReason::criterion, {});
    needs().call = token;
    needs_->resolved = back_.returned;
    if (back_.returned && !members_.last(token) && !options_.memory_only)
      waiting().activation(back_.time - 1).returned = token;
  }
  if (is_at(place_.time)) {
    const uint32_t item = shape_->item_of(options_.statement.statement);
    if (item == kNone || step_->path->function != options_.statement.function) return false;
    // A call that came back is a member already.
    if (!needs_ || !needs_->call) want(item, {}, SliceReason::criterion);
  }
  for (size_t word = items / 64 + 1; word-- > 0;) {
    while (wanted_bits_[word] != 0) {
      const auto bit = static_cast<unsigned>(63 - std::countl_zero(wanted_bits_[word]));
      visit(static_cast<uint32_t>(64 * word + bit));
      wanted_bits_[word] &= ~(uint64_t{1} << bit);
    }
  }
  copied_.clear();
  take_effects();
  if (impossible_) return false;
  if (!needs_) return true;
  if (needs_->nothing()) {
    needs_->clear();
    waiting().give_back(needs_);
  } else if (step_->path->enters) {
    enter();
  } else {
    come_back();
  }
  return true;
}

bool BackwardSlicer::take_written() {
  effect_needs_.clear();
  for (const WrittenNeed& need : written_) {
    const ByteRange* range = need.bytes == kNone ? nullptr : &waiting().range(need.bytes);
    if (!want_written(need.item, need.token, need.at, range)) return false;
  }
  return true;
}

// Memory that the item wrote is needed; of a copy these bytes. False: it cannot be.
bool BackwardSlicer::want_written(uint32_t item, Token token, uint32_t at, const ByteRange* range) {
  const size_t items = shape_->items.size();
  if (item >= items) {
    const std::span<const CallEffect> effects = cursor().block().effects_of(path_);
    if (item - items >= effects.size()) return false;
    const CallEffect::Kind kind = effects[item - items].kind;
    if (kind == CallEffect::Kind::reads || (kind == CallEffect::Kind::copies) != (range != nullptr))
      return false;
    effect_needs_.push_back(
        {static_cast<uint32_t>(item - items), bytes_for(range ? *range : ByteRange(), token, at)});
    return true;
  }
  const StepKind kind = shape_->items[item].kind;
  if (!writes_memory(kind) || (kind == StepKind::copy) != (range != nullptr)) return false;
  want(item, token, SliceReason::memory, at);
  if (range) copied_.push_back({item, bytes_for(*range, token, at)});
  return true;
}

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
    const uint32_t item = shape_->decided(block);
    if (item == kNone) return;
    needs.branches.take(block);
    want_branch(item, token);
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

void BackwardSlicer::visit(uint32_t number) {
  item_ = number;
  const ShapeItem& item = shape_->items[number];
  const Wanted wanted = wanted_[number];
  switch (item.kind) {
    case StepKind::call:
      visit_call(item, wanted);
      return;
    case StepKind::copy:
      visit_copy(number, item);
      return;
    case StepKind::phi: {
      const Token token = member(item.statement, wanted);
      need_branch(item, token);
      visit_phi(item, token);
      return;
    }
    default: {
      const Token token = member(item.statement, wanted);
      need_uses(item, token);
      need_branch(item, token);
      if (item.label != kNone) need_label(cursor().block().label(path_, item), item.bytes, token);
    }
  }
}

void BackwardSlicer::visit_phi(const ShapeItem& item, Token token) {
  if (item.from != kNone) {
    for (const Use& use : shape_->uses_of(item)) need(use, token);
  } else if (!step_->before) {
    members_.end(token, SliceEnd::activation);
    return;
  } else {
    const Function& function = *shape_->function;
    const uint32_t from = function.segments[step_->before->segments.back()].block;
    const Statement& phi = function.statements[item.statement];
    for (size_t i = 0; i + 1 < phi.operands.size(); i += 2) {
      if (phi.operands[i + 1] != Operand{Operand::Kind::block, from}) continue;
      const Operand& operand = phi.operands[i];
      if (operand.kind == Operand::Kind::statement)
        need({Use::Kind::result, operand.index}, token);
      else if (operand.kind == Operand::Kind::argument)
        need({Use::Kind::argument, operand.index}, token);
      break;
    }
  }
  if (controlled_ && !members_.last(token)) need_decider(item.edge, token);
}

void BackwardSlicer::visit_copy(uint32_t number, const ShapeItem& item) {
  const Wanted wanted = wanted_[number];
  const bool criterion = wanted.reason == SliceReason::criterion;
  const Token token = member(item.statement, wanted);
  need_uses(item, token);
  need_branch(item, token);
  const Label label = cursor().block().label(path_, item);
  if (label.kind() == Label::Kind::nowhere) {
    members_.end(token, SliceEnd::address);
    return;
  }
  // Of a copy that is the criterion all is wanted; otherwise each byte for who needs it.
  if (criterion) {
    if (!members_.last(token)) need_label(label, 0, token);
    return;
  }
  wanted_bytes_.clear();
  for (const CopiedRange& copied : copied_)
    if (copied.item == number) wanted_bytes_.push_back(copied.bytes);
  need_copied(label, wanted_bytes_, token);
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
    if (!needs.resolved) {
      need_uses(item, known);
      members_.end(known, SliceEnd::result);
    }
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

void BackwardSlicer::need(const Use& use, Token token) {
  if (members_.last(token) || options_.memory_only) return;
  switch (use.kind) {
    case Use::Kind::none:
      return;
    case Use::Kind::item:
      want(use.index, token, SliceReason::operand);
      return;
    case Use::Kind::result:
      needs().results.add(use.index, token);
      return;
    case Use::Kind::argument:
      needs().arguments.add(use.index, token);
      return;
  }
}

void BackwardSlicer::need_uses(const ShapeItem& item, Token token) {
  const std::span<const Use> uses = shape_->uses_of(item);
  if (options_.copies_only) {
    if (item.passes_on) need(uses[0], token);
    return;
  }
  for (const Use& use : uses) need(use, token);
}

void BackwardSlicer::need_decider(const Decider& decider, Token token) {
  switch (decider.kind) {
    case Decider::Kind::item:
      want_branch(decider.index, token);
      return;
    case Decider::Kind::branch:
      needs().branches.add(decider.index, token);
      return;
    case Decider::Kind::block:
      needs().blocks.add(decider.index, token);
      return;
    case Decider::Kind::entry:
      lower(needs().entry, token);
      return;
    case Decider::Kind::edge:
      lower(needs().edge, token);
      return;
  }
}

// All that a statement read; `bytes` when it is not told in parts.
void BackwardSlicer::need_label(Label label, uint64_t bytes, Token token, uint64_t base) {
  if (label.kind() == Label::Kind::nowhere) {
    members_.end(token, SliceEnd::address);
    return;
  }
  if (members_.last(token)) return;
  if (label.kind() != Label::Kind::parts) {
    need_part({.length = bytes, .label = label}, 0, bytes, base, token);
    return;
  }
  uint64_t at = base;
  for (uint64_t i = label.first_part();; ++i) {
    const LabelPart& part = cursor().block().parts[i];
    need_part(part, 0, part.length, at, token);
    at += part.length;
    if (part.last) return;
  }
}

// The bytes that a copy read, for those who need what it wrote.
void BackwardSlicer::need_copied(Label label, std::vector<TokenBytes>& wanted, Token member,
                                 uint64_t base) {
  if (wanted.empty()) return;
  part_ends_.clear();
  if (label.kind() == Label::Kind::parts) {
    uint64_t end = 0;
    for (uint64_t i = label.first_part();; ++i) {
      const LabelPart& part = cursor().block().parts[i];
      part_ends_.push_back(end += part.length);
      if (part.last) break;
    }
  }
  keep_nearest(wanted);
  for (const TokenBytes& bytes : wanted) {
    const Token through = members_.again(member, SliceReason::memory, bytes.token, bytes.at);
    if (!members_.last(through)) need_stretch(label, {bytes.first, bytes.length}, base, through);
  }
}

void BackwardSlicer::need_stretch(Label label, const ByteRange& range, uint64_t base, Token token) {
  if (label.kind() != Label::Kind::parts) {
    need_part({.length = range.length, .label = label}, 0, range.length, base + range.first, token);
    return;
  }
  const uint64_t end = range.first + range.length;
  const auto first = std::ranges::upper_bound(part_ends_, range.first);
  for (auto at = static_cast<size_t>(first - part_ends_.begin()); at < part_ends_.size(); ++at) {
    const LabelPart& part = cursor().block().parts[label.first_part() + at];
    const uint64_t begin = part_ends_[at] - part.length;
    if (begin >= end) return;
    const uint64_t from = std::max(begin, range.first), to = std::min(part_ends_[at], end);
    need_part(part, from - begin, to - from, base + from, token);
  }
}

// `at`: where in what was read the bytes are.
void BackwardSlicer::need_part(const LabelPart& part, uint64_t offset, uint64_t length, uint64_t at,
                               Token token) {
  switch (part.label.kind()) {
    case Label::Kind::one: {
      const ByteRange range{part.offset + offset, length};
      if (part.foreign())
        need_foreign(part, at, token, part.copied ? &range : nullptr);
      else
        need_written(part.label, at, token, part.copied ? &range : nullptr);
      return;
    }
    case Label::Kind::unordered:
      members_.end(token, SliceEnd::unordered, length);
      return;
    case Label::Kind::changed:
      members_.end(token, SliceEnd::changed, length);
      return;
    default:
      members_.end(token, SliceEnd::memory, length);
      return;
  }
}

void BackwardSlicer::need_written(Label label, uint64_t at, Token token, const ByteRange* range) {
  const auto where = static_cast<uint32_t>(std::min<uint64_t>(at, UINT32_MAX));
  if (label.time() == step_->time) {
    // What the call before the path did was done before all of its items.
    const bool earlier =
        item_ != kNone && (label.item() < item_ || label.item() >= shape_->items.size());
    impossible_ |= !earlier || !want_written(label.item(), token, where, range);
    return;
  }
  waiting().add(label.time(), {0, label.item(), token, where, kNone}, range);
}

// What another thread wrote.
void BackwardSlicer::need_foreign(const LabelPart& part, uint64_t at, Token token,
                                  const ByteRange* range) {
  const uint64_t there = order(part.thread, part.label.time());
  if (there == 0 || there >= order(strand_->thread, step_->time) ||
      part.thread == strand_->thread || ground_.dependences.of(part.thread).empty()) {
    impossible_ = true;
    return;
  }
  others_ = std::max(others_, there);
  const auto where = static_cast<uint32_t>(std::min<uint64_t>(at, UINT32_MAX));
  Waiting& theirs = strand(part.thread).waiting;
  theirs.add(part.label.time(), {0, part.label.item(), token, where, kNone}, range);
  full_ |= theirs.full();
}

}  // namespace

Result<void> slice_backwards(const SliceGround& ground, const SliceOptions& options,
                             const CriterionPlace& place, SliceMembers& members) {
  return BackwardSlicer(ground, options, place, members).run();
}

}  // namespace vestige
