#include "query/slice/forward.h"

#include <algorithm>

#include "query/slice/reached_walk.h"

namespace vestige {

namespace {

class ForwardSlicer : ReachedWalk {
 public:
  ForwardSlicer(const SliceGround& ground, const SliceOptions& options, const CriterionPlace& place,
                SliceMembers& members)
      : ReachedWalk(ground),
        options_(options),
        place_(place),
        members_(members),
        writes_(order(place.thread, place.time)) {}

  Result<void> run();

 private:
  // The nearest of what an execution depends on.
  struct Nearest {
    Token of;
    SliceReason reason = SliceReason::operand;
    uint64_t at = 0;  // of memory: where in what is read
  };

  Result<void> go_through(const ThreadRun& run);
  Result<bool> matters(size_t number);
  bool quiet(size_t path) const;
  void go_on(size_t path);
  void begin();
  void visit(uint32_t number);
  void visit_phi(const ShapeItem& item, Nearest nearest);
  void visit_call(const ShapeItem& item, Nearest nearest);
  Token visit_copy(uint32_t number, const ShapeItem& item, const Nearest& nearest);
  template <class Part>
  void pass_on(Label written, Label read, const Part& part);
  void take_result();
  Token call_part(const Nearest& nearest);
  void take_effects(std::span<const CallEffect> effects, Token given, Token computed);
  void end_block(const ShapeItem& item, Token token);
  template <class Visit>
  void for_reached(Label label, const Visit& visit) const {
    ReachedWalk::for_reached(label, writes_, visit);
  }

  void consider(Nearest& nearest, Token token, SliceReason reason, uint64_t at = 0) const {
    if (!token || members_.last(token) || token.depth >= nearest.of.depth) return;
    if (options_.memory_only && reason != SliceReason::memory) return;
    nearest = {token, reason, at};
  }
  Token member(uint32_t statement, const Nearest& nearest) {
    if (is_criterion(statement))
      return members_.enter(step_->path->function, statement, step_->time, SliceReason::criterion,
                            {});
    if (!nearest.of) return {};
    return members_.enter(step_->path->function, statement, step_->time, nearest.reason, nearest.of,
                          nearest.at);
  }
  bool is_criterion(uint32_t statement) const {
    return step_->time == place_.time && strand_->thread == place_.thread &&
           statement == options_.statement.statement;
  }
  // What can bring nothing into the slice is not kept.
  Token kept(Token token) const {
    return options_.memory_only || members_.last(token) ? Token{} : token;
  }

  const SliceOptions& options_;
  const CriterionPlace& place_;
  SliceMembers& members_;
  ReachedWrites writes_;
  bool begun_ = false;
};

Result<void> ForwardSlicer::run() {
  const std::vector<ThreadRun>& runs = ground_.dependences.order().runs();
  const ThreadRun* first = ground_.dependences.order().run_of(order(place_.thread, place_.time));
  if (!first || ground_.dependences.of(place_.thread).empty()) return impossible_dependence();
  const uint32_t process = ground_.trace.threads()[place_.thread].process;
  for (size_t i = static_cast<size_t>(first - runs.data()); i < runs.size(); ++i) {
    const uint32_t thread = runs[i].thread;
    // Processes share nothing.
    if (ground_.trace.threads()[thread].process != process ||
        ground_.dependences.of(thread).empty())
      continue;
    turn_to(thread);
    if (begun_ && strand_->clean() && writes_.empty()) {
      if (std::ranges::all_of(strands_, [](const auto& s) { return s.second.clean(); })) break;
      continue;
    }
    members_.set_thread(thread);
    if (auto gone = go_through(runs[i]); !gone) return gone;
  }
  return {};
}

Result<void> ForwardSlicer::go_through(const ThreadRun& run) {
  const BlockPlaces& places = strand_->cursor.places();
  const uint64_t from = begun_ ? run.first_time : place_.time;
  for (size_t number = strand_->cursor.block_at(from);
       number < places.size() && places[number].first_time < run.end_time(); ++number) {
    if (places[number].end_time() <= from) continue;
    const auto wanted = matters(number);
    if (!wanted) return std::unexpected(wanted.error());
    if (!*wanted) continue;
    if (auto gone = strand_->cursor.go_to(number); !gone) return gone;
    const DependenceBlock& block = strand_->cursor.block();
    if (!begun_ && place_.time < block.first_time) return impossible_dependence();
    const uint64_t end = std::min(block.end_time(), run.end_time());
    for (uint64_t time = std::max(from, block.first_time); time < end; ++time) {
      const size_t path = time - block.first_time;
      if (begun_ && quiet(path)) continue;
      go_on(path);
      if (members_.too_many() || writes_.full()) return too_large(options_, writes_.full());
      if (members_.no_room()) return no_room_for_members();
    }
    if (strand_->clean() && writes_.empty()) break;
  }
  return {};
}

Result<bool> ForwardSlicer::matters(size_t number) {
  const BlockPlace& place = strand_->cursor.places()[number];
  if (!begun_ || strand_->returned || !strand_->left.clean() ||
      (!strand_->levels.empty() && place.lowest <= strand_->levels.size()))
    return true;
  return block_may_read(number, writes_);
}

// Nothing of the path can be in the slice.
bool ForwardSlicer::quiet(size_t path) const {
  return !strand_->may_touch(strand_->cursor.block().steps[path]) && !may_read(path, writes_);
}

void ForwardSlicer::go_on(size_t path) {
  const DependenceBlock& block = strand_->cursor.block();
  turn_to_path(path);
  begin();
  strand_->returned = {};
  bool reads = step_->time == place_.time && strand_->thread == place_.thread;
  if (!reads && !writes_.empty())
    for (uint32_t i = 0; i < shape_->labels && !reads; ++i)
      for_reached(block.labels[block.first_label[path] + i],
                  [&](uint64_t, uint64_t, Token) { reads = true; });
  if (!reads && !touched()) {
    now_->results.forget(shape_->words);
  } else {
    for (uint32_t i = 0; i < shape_->items.size(); ++i) {
      const ShapeItem& item = shape_->items[i];
      if (!begun_ && !is_criterion(item.statement)) continue;
      begun_ = true;
      if (item.begins) begin_block(item.block);
      if (item.kind != StepKind::phi) settle_phis();
      visit(i);
    }
    settle_phis();
  }
  leave_path();
}

// What the activation has from who called it, or from what it called.
void ForwardSlicer::begin() {
  if (step_->path->enters) {
    const ActivationReached* const from = caller();
    Token entry;
    if (from && !options_.data_only && !(from->entering && members_.last(from->entering)))
      entry = from->entering;
    enter(entry, from && step_->called ? std::span(from->passed) : Passed());
  } else {
    if (go_on_in_activation()) take_result();
    now_->forget_call();
  }
  strand_->left.clear();
}

void ForwardSlicer::take_result() {
  const std::span<const CallEffect> effects = strand_->cursor.block().effects_of(path_);
  Token result = now_->entering;
  Nearest nearest, read;
  if (step_->returned)
    consider(nearest, strand_->returned, SliceReason::returned);
  else
    consider(nearest, now_->unresolved, SliceReason::operand);
  lower(result, call_part(nearest));
  const Token given = result;
  uint64_t base = 0;
  for (const CallEffect& effect : effects) {
    if (effect.kind == CallEffect::Kind::reads)
      for_reached(effect.label, [&](uint64_t at, uint64_t, Token token) {
        consider(read, token, SliceReason::memory, base + at);
      });
    base += effect.length;
  }
  lower(result, call_part(read));
  if ((nearest.of || read.of) && !step_->returned) members_.end(now_->member, SliceEnd::result);
  take_effects(effects, given, result);
  now_->results.set(now_->call, kept(result));
}

// The call that the activation is in depends on this.
Token ForwardSlicer::call_part(const Nearest& nearest) {
  if (!nearest.of) return {};
  if (now_->member) return members_.again(now_->member, nearest.reason, nearest.of, nearest.at);
  return now_->member = members_.enter(step_->path->function, now_->call, step_->before_time,
                                       nearest.reason, nearest.of, nearest.at);
}

// What the unrecorded code that was called wrote: what it copied depends on what it was given and
// on the byte that was copied, all else on what it was given and what it read.
void ForwardSlicer::take_effects(std::span<const CallEffect> effects, Token given, Token computed) {
  uint64_t base = 0;
  for (size_t i = 0; i < effects.size(); base += effects[i++].length) {
    if (effects[i].kind == CallEffect::Kind::reads) continue;
    const Label label = me(static_cast<uint32_t>(shape_->items.size() + i));
    const bool copies = effects[i].kind == CallEffect::Kind::copies;
    const Token whole = copies ? given : computed;
    if (whole && !members_.last(whole)) writes_.add(label, whole);
    if (copies)
      pass_on(label, effects[i].label, [&](const TokenBytes& bytes) {
        return call_part({bytes.token, SliceReason::memory, base + bytes.first});
      });
  }
}

void ForwardSlicer::visit(uint32_t number) {
  const ShapeItem& item = shape_->items[number];
  Nearest nearest;
  if (!options_.data_only) consider(nearest, now_->blocks.get(item.block), SliceReason::control);
  if (item.kind == StepKind::call) {
    visit_call(item, nearest);
    return;
  }
  if (item.kind == StepKind::phi) {
    visit_phi(item, nearest);
    return;
  }
  for (const Use& use : shape_->uses_of(item)) consider(nearest, of(use), SliceReason::operand);
  Token token;
  if (item.kind == StepKind::copy) {
    token = visit_copy(number, item, nearest);
  } else {
    if (item.label != kNone && !writes_.empty())
      for_reached(strand_->cursor.block().label(path_, item),
                  [&](uint64_t at, uint64_t, Token reached) {
                    consider(nearest, reached, SliceReason::memory, at);
                  });
    token = member(item.statement, nearest);
    if (token && !members_.last(token) && writes_memory(item.kind)) writes_.add(me(number), token);
  }
  if (token && item.label != kNone &&
      strand_->cursor.block().label(path_, item).kind() == Label::Kind::nowhere)
    members_.end(token, SliceEnd::address);
  if (item.kind == StepKind::ret) strand_->returned = kept(token);
  now_->results.set(item.statement, kept(token));
  if (item.ends) end_block(item, token);
}

void ForwardSlicer::visit_phi(const ShapeItem& item, Nearest nearest) {
  if (const Operand* const taken = taken_by(item))
    consider(nearest, of(*taken), SliceReason::operand);
  if (!options_.data_only) consider(nearest, now_->edge, SliceReason::control);
  const Token token = member(item.statement, nearest);
  phis_.emplace_back(item.statement, kept(token));
  if (item.ends) end_block(item, token);
}

void ForwardSlicer::visit_call(const ShapeItem& item, Nearest nearest) {
  const Statement& call = shape_->function->statements[item.statement];
  now_->forget_call();
  now_->call = item.statement;
  if (call.callee == kNone && !call.operands.empty())
    consider(nearest, of(call.operands.back()), SliceReason::operand);
  const Token entering = now_->member = now_->entering = member(item.statement, nearest);
  for (uint32_t k = 0; k < call.operands.size(); ++k) {
    Nearest passed;
    consider(passed, of(call.operands[k]), SliceReason::operand);
    lower(now_->unresolved, passed.of);
    if (k + 1 == call.operands.size()) break;
    Token part = entering;
    if (passed.of) {
      if (now_->member)
        lower(part, members_.again(now_->member, passed.reason, passed.of));
      else
        lower(part, now_->member = member(item.statement, passed));
    }
    if (part && !members_.last(part)) now_->passed.emplace_back(k, part);
  }
  now_->results.set(item.statement, {});
  if (item.ends) end_block(item, entering);
  if (options_.memory_only && !is_criterion(item.statement)) now_->forget_call();
}

// Each byte depends on the copy as a whole, and on the byte it is copied from.
Token ForwardSlicer::visit_copy(uint32_t number, const ShapeItem& item, const Nearest& nearest) {
  const Token whole = member(item.statement, nearest);
  Token any = whole;
  if (whole && !members_.last(whole)) writes_.add(me(number), whole);
  pass_on(me(number), strand_->cursor.block().label(path_, item), [&](const TokenBytes& bytes) {
    if (any) return members_.again(any, SliceReason::memory, bytes.token, bytes.first);
    return any = member(item.statement, {bytes.token, SliceReason::memory, bytes.first});
  });
  return any;
}

// The bytes of what a copy read that are reached reach those that it wrote; `part` gives the token
// of the copy for them.
template <class Part>
void ForwardSlicer::pass_on(Label written, Label read, const Part& part) {
  std::vector<TokenBytes> reached;
  for_reached(read, [&](uint64_t at, uint64_t length, Token token) {
    if (!members_.last(token)) reached.push_back({at, length, token, 0});
  });
  keep_nearest(reached);
  std::vector<TokenBytes> given;
  for (const TokenBytes& bytes : reached) {
    const Token token = part(bytes);
    if (!members_.last(token)) given.push_back({bytes.first, bytes.length, token, 0});
  }
  if (!given.empty()) writes_.add_copied(written, std::move(given));
}

void ForwardSlicer::end_block(const ShapeItem& item, Token token) {
  if (!options_.data_only && !options_.memory_only) ReachedWalk::end_block(item, kept(token));
}

}  // namespace

Result<void> slice_forwards(const SliceGround& ground, const SliceOptions& options,
                            const CriterionPlace& place, SliceMembers& members) {
  return ForwardSlicer(ground, options, place, members).run();
}

}  // namespace vestige
