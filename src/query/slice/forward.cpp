#include "query/slice/forward.h"

#include <algorithm>
#include <map>

#include "query/slice/reached.h"
#include "query/slice/reached_writes.h"

namespace vestige {

namespace {

class ForwardSlicer {
 public:
  ForwardSlicer(const SliceGround& ground, const SliceOptions& options, const CriterionPlace& place,
                SliceMembers& members)
      : ground_(ground),
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

  // A thread, and what is reached in it.
  struct Strand {
    Strand(const SliceGround& ground, uint32_t number) : thread(number), cursor(ground, number) {}
    const uint32_t thread;
    DependenceBlockCursor cursor;
    std::vector<ActivationReached> levels, spare;
    Token returned;          // what the path before returned
    ActivationReached left;  // it ended in a tail call: its activation
    bool clean() const { return levels.empty() && !returned && left.clean(); }
    // Of one block: what it reads from.
    size_t pages_of = SIZE_MAX;
    std::vector<uint64_t> pages;
  };

  uint64_t order(uint32_t thread, uint64_t time) const {
    return ground_.dependences.order().order(thread, time);
  }
  // A label of the thread as ReachedWrites knows it.
  Label reached_label(uint32_t thread, Label label) const {
    if (alone_ || label.kind() != Label::Kind::one) return label;
    return Label::written(order(thread, label.time()), label.item());
  }
  Result<void> go_through(const ThreadRun& run);
  Result<bool> matters(size_t number);
  bool quiet(size_t path) const;
  void go_on(size_t path);
  bool touched() const;
  void begin();
  void visit(uint32_t number);
  void visit_phi(const ShapeItem& item, Nearest& nearest) const;
  void visit_call(const ShapeItem& item, Nearest nearest);
  Token visit_copy(uint32_t number, const ShapeItem& item, const Nearest& nearest);
  template <class Part>
  void pass_on(Label written, Label read, const Part& part);
  void take_result();
  Token call_part(const Nearest& nearest);
  void take_effects(std::span<const CallEffect> effects, Token given, Token computed);
  void begin_block(uint32_t block);
  void end_block(const ShapeItem& item, Token token);
  void settle_phis();
  template <class Visit>
  void for_reached(Label label, const Visit& visit) const;
  bool may_be_reached(Label label) const {
    return label.kind() == Label::Kind::parts ||
           writes_.may_have(reached_label(strand_->thread, label));
  }

  void consider(Nearest& nearest, Token token, SliceReason reason, uint64_t at = 0) const {
    if (!token || members_.last(token) || token.depth >= nearest.of.depth) return;
    if (options_.memory_only && reason != SliceReason::memory) return;
    nearest = {token, reason, at};
  }
  Token of(const Operand& operand) const;
  Token of(const Use& use) const {
    if (use.kind == Use::Kind::item) return now_->results.get(shape_->items[use.index].statement);
    if (use.kind == Use::Kind::result) return now_->results.get(use.index);
    return use.kind == Use::Kind::argument ? now_->arguments.get(use.index) : Token{};
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
  Label me(uint32_t item) const {
    return reached_label(strand_->thread, Label::written(step_->time, item));
  }
  // Activations above this level have nothing that is reached.
  void cut(size_t level) {
    for (; strand_->levels.size() > level; strand_->levels.pop_back()) {
      strand_->levels.back().clear();
      strand_->spare.push_back(std::move(strand_->levels.back()));
    }
  }
  ActivationReached& level(size_t number) {
    while (strand_->levels.size() <= number) {
      if (strand_->spare.empty()) {
        strand_->levels.emplace_back();
      } else {
        strand_->levels.push_back(std::move(strand_->spare.back()));
        strand_->spare.pop_back();
      }
    }
    return strand_->levels[number];
  }
  void trim() {
    while (!strand_->levels.empty() && strand_->levels.back().clean())
      cut(strand_->levels.size() - 1);
  }

  const SliceGround& ground_;
  const SliceOptions& options_;
  const CriterionPlace& place_;
  SliceMembers& members_;
  const bool alone_ = ground_.dependences.order().runs().size() == 1;
  std::map<uint32_t, Strand> strands_;
  Strand* strand_ = nullptr;  // the one at hand
  ReachedWrites writes_;
  bool begun_ = false;
  // Of the path that runs.
  size_t path_ = 0;
  const PathStep* step_ = nullptr;
  const PathShape* shape_ = nullptr;
  ActivationReached* now_ = nullptr;
  std::vector<std::pair<uint32_t, Token>> phis_;  // of a block take their values at once
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
    strand_ = &strands_.try_emplace(thread, ground_, thread).first->second;
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
  if (writes_.empty()) return false;
  // What is in the block itself is not among the pages.
  if (writes_.reaches(order(strand_->thread, place.first_time))) return true;
  if (strand_->pages_of != number) {
    auto pages = ground_.dependences.pages(strand_->thread, place);
    if (!pages) return std::unexpected(std::move(pages.error()));
    strand_->pages = std::move(*pages);
    strand_->pages_of = number;
  }
  return std::ranges::any_of(strand_->pages, [&](uint64_t page) { return writes_.has_page(page); });
}

// Nothing of the path can be in the slice.
bool ForwardSlicer::quiet(size_t path) const {
  const DependenceBlock& block = strand_->cursor.block();
  const PathStep& step = block.steps[path];
  if (strand_->returned || !strand_->left.clean() || step.level < strand_->levels.size())
    return false;
  // It may be called by what is reached.
  if (step.level == strand_->levels.size() && step.path->enters && !strand_->levels.empty())
    return false;
  if (writes_.empty()) return true;
  const uint32_t first = block.first_label[path], labels = block.shapes[path]->labels;
  for (uint32_t i = first; i < first + labels; ++i)
    if (may_be_reached(block.labels[i])) return false;
  return std::ranges::none_of(block.effects_of(path), [&](const CallEffect& effect) {
    return effect.reads_memory() && may_be_reached(effect.label);
  });
}

void ForwardSlicer::go_on(size_t path) {
  const DependenceBlock& block = strand_->cursor.block();
  path_ = path;
  step_ = &block.steps[path];
  shape_ = block.shapes[path];
  // What lies above was left.
  cut(step_->level + 1);
  now_ = &level(step_->level);
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
  if (step_->path->leaves) {
    if (step_->path->end == SegmentEnd::tail_call) strand_->left = *now_;
    now_->clear();
  }
  trim();
}

// Whether the path uses anything of its activation that is reached.
bool ForwardSlicer::touched() const {
  if (!now_->blocks.empty() || !now_->branches.empty() || now_->entry || now_->edge) return true;
  return now_->results.meets(shape_->used) ||
         (!now_->arguments.empty() &&
          std::ranges::any_of(shape_->used_arguments, [&](uint32_t number) {
            return static_cast<bool>(now_->arguments.get(number));
          }));
}

// What the activation has from who called it, or from what it called.
void ForwardSlicer::begin() {
  if (step_->path->enters) {
    const ActivationReached* caller = step_->tail_called ? &strand_->left
                                      : step_->level > 0 ? &strand_->levels[step_->level - 1]
                                                         : nullptr;
    Token entry;
    std::vector<std::pair<uint32_t, Token>> passed;
    if (caller && step_->has_caller) {
      if (!options_.data_only && !(caller->entering && members_.last(caller->entering)))
        entry = caller->entering;
      if (step_->called) passed = caller->passed;
    }
    now_->clear();
    now_->function = step_->path->function;
    now_->entry = entry;
    for (const auto& [number, token] : passed)
      if (number < shape_->function->arguments.size()) now_->arguments.set(number, token);
    if (entry) now_->branches.resize(shape_->function->blocks.size());
  } else {
    if (!step_->before || now_->function != step_->path->function) now_->clear();
    now_->function = step_->path->function;
    if (step_->before && step_->before->end == SegmentEnd::call) take_result();
    now_->forget_call();
  }
  strand_->left.clear();
}

void ForwardSlicer::take_result() {
  // The path that called may have been passed over.
  now_->call = stopped_at(*shape_->function, *step_->before);
  if (now_->call == kNone) return;
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
    phis_.emplace_back(item.statement, member(item.statement, nearest));
    if (item.ends) end_block(item, phis_.back().second);
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

void ForwardSlicer::visit_phi(const ShapeItem& item, Nearest& nearest) const {
  const Function& function = *shape_->function;
  const Statement& statement = function.statements[item.statement];
  uint32_t from = item.from;
  if (from == kNone && step_->before)
    from = function.segments[step_->before->segments.back()].block;
  for (size_t i = 0; i + 1 < statement.operands.size(); i += 2) {
    if (statement.operands[i + 1] != Operand{Operand::Kind::block, from}) continue;
    consider(nearest, of(statement.operands[i]), SliceReason::operand);
    break;
  }
  if (!options_.data_only) consider(nearest, now_->edge, SliceReason::control);
}

void ForwardSlicer::settle_phis() {
  for (const auto& [statement, token] : phis_) now_->results.set(statement, kept(token));
  phis_.clear();
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

// Calls visit(where in what is read, length, token) for what is reached of it.
template <class Visit>
void ForwardSlicer::for_reached(Label label, const Visit& visit) const {
  if (label.kind() == Label::Kind::one) {
    // Of a copy that is read from one write the length does not matter.
    if (const Token token = writes_.get(reached_label(strand_->thread, label)))
      visit(0, UINT64_MAX / 2, token);
    return;
  }
  if (label.kind() != Label::Kind::parts) return;
  uint64_t at = 0;
  for (uint64_t i = label.first_part();; ++i) {
    const LabelPart& part = strand_->cursor.block().parts[i];
    const Label there = reached_label(part.foreign() ? part.thread : strand_->thread, part.label);
    if (part.copied) {
      writes_.get_copied(there, part.offset, part.length,
                         [&](uint64_t first, uint64_t length, Token token) {
                           visit(at + (first - part.offset), length, token);
                         });
    } else if (const Token token = writes_.get(there)) {
      visit(at, part.length, token);
    }
    at += part.length;
    if (part.last) return;
  }
}

void ForwardSlicer::begin_block(uint32_t block) {
  if (options_.data_only || now_->branches.empty()) {
    if (!now_->blocks.empty()) now_->blocks.set(block, {});
    return;
  }
  Token token = now_->entry;
  uint64_t latest = 0;
  const Block& begun = shape_->function->blocks[block];
  for (const uint32_t parent : begun.control_parents) {
    const ActivationReached::Branch& branch = now_->branches[parent];
    if (branch.order <= latest) continue;
    latest = branch.order;
    token = branch.token;
  }
  if (begun.round != kNone && now_->branches[begun.round].order > latest)
    token = now_->blocks.get(begun.round);
  now_->blocks.set(block, token);
}

void ForwardSlicer::end_block(const ShapeItem& item, Token token) {
  if (options_.data_only || options_.memory_only) return;
  token = kept(token);
  now_->edge = item.chooses ? token : now_->blocks.get(item.block);
  if (now_->branches.empty()) {
    if (!token) return;
    now_->branches.resize(shape_->function->blocks.size());
  }
  ActivationReached::Branch& branch = now_->branches[item.block];
  now_->reached_branches -= static_cast<bool>(branch.token);
  now_->reached_branches += static_cast<bool>(token);
  branch = {++now_->order, token};
  if (now_->reached_branches == 0 && !now_->entry) {
    now_->branches.clear();
    now_->order = 0;
  }
}

Token ForwardSlicer::of(const Operand& operand) const {
  if (operand.kind == Operand::Kind::statement) return now_->results.get(operand.index);
  if (operand.kind == Operand::Kind::argument) return now_->arguments.get(operand.index);
  return {};
}

}  // namespace

Result<void> slice_forwards(const SliceGround& ground, const SliceOptions& options,
                            const CriterionPlace& place, SliceMembers& members) {
  return ForwardSlicer(ground, options, place, members).run();
}

}  // namespace vestige
