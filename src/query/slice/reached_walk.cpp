#include "query/slice/reached_walk.h"

#include <algorithm>

namespace vestige {

void ReachedWalk::Strand::cut(size_t level) {
  for (; levels.size() > level; levels.pop_back()) {
    levels.back().clear();
    spare.push_back(std::move(levels.back()));
  }
}

ActivationReached& ReachedWalk::Strand::level(size_t number) {
  while (levels.size() <= number) {
    if (spare.empty()) {
      levels.emplace_back();
    } else {
      levels.push_back(std::move(spare.back()));
      spare.pop_back();
    }
  }
  return levels[number];
}

void ReachedWalk::Strand::trim() {
  while (!levels.empty() && levels.back().clean()) cut(levels.size() - 1);
}

bool ReachedWalk::Strand::may_touch(const PathStep& step) const {
  if (returned || !left.clean() || step.level < levels.size()) return true;
  // It may be called by what is reached.
  return step.level == levels.size() && step.path->enters && !levels.empty();
}

void ReachedWalk::turn_to_path(size_t path) {
  const DependenceBlock& block = strand_->cursor.block();
  path_ = path;
  step_ = &block.steps[path];
  shape_ = block.shapes[path];
  // What lies above was left.
  strand_->cut(step_->level + 1);
  now_ = &strand_->level(step_->level);
}

void ReachedWalk::leave_path() {
  if (step_->path->leaves) {
    if (step_->path->end == SegmentEnd::tail_call) strand_->left = *now_;
    now_->clear();
  }
  strand_->trim();
}

bool ReachedWalk::touched() const {
  if (!now_->blocks.empty() || !now_->branches.empty() || now_->entry || now_->edge) return true;
  return now_->results.meets(shape_->used) ||
         (!now_->arguments.empty() &&
          std::ranges::any_of(shape_->used_arguments, [&](uint32_t number) {
            return static_cast<bool>(now_->arguments.get(number));
          }));
}

Result<bool> ReachedWalk::block_may_read(size_t number, const ReachedWrites& writes) {
  if (writes.empty()) return false;
  const BlockPlace& place = strand_->cursor.places()[number];
  // What is in the block itself is not among the pages.
  if (writes.reaches(order(strand_->thread, place.first_time))) return true;
  if (strand_->pages_of != number) {
    auto pages = ground_.dependences.pages(strand_->thread, place);
    if (!pages) return std::unexpected(std::move(pages.error()));
    strand_->pages = std::move(*pages);
    strand_->pages_of = number;
  }
  return std::ranges::any_of(strand_->pages, [&](uint64_t page) { return writes.has_page(page); });
}

bool ReachedWalk::may_read(size_t path, const ReachedWrites& writes) const {
  if (writes.empty()) return false;
  const DependenceBlock& block = strand_->cursor.block();
  const auto may_have = [&](Label label) {
    return label.kind() == Label::Kind::parts || writes.may_have(written(strand_->thread, label));
  };
  const uint32_t first = block.first_label[path], labels = block.shapes[path]->labels;
  for (uint32_t i = first; i < first + labels; ++i)
    if (may_have(block.labels[i])) return true;
  return std::ranges::any_of(block.effects_of(path), [&](const CallEffect& effect) {
    return effect.reads_memory() && may_have(effect.label);
  });
}

const ActivationReached* ReachedWalk::caller() const {
  if (!step_->has_caller) return nullptr;
  if (step_->tail_called) return &strand_->left;
  return step_->level > 0 ? &strand_->levels[step_->level - 1] : nullptr;
}

void ReachedWalk::enter(Token entry, Passed passed) {
  now_->clear();
  now_->function = step_->path->function;
  now_->entry = entry;
  for (const auto& [number, token] : passed)
    if (number < shape_->function->arguments.size()) now_->arguments.set(number, token);
  if (entry) now_->branches.resize(shape_->function->blocks.size());
}

bool ReachedWalk::go_on_in_activation() {
  if (!step_->before || now_->function != step_->path->function) now_->clear();
  now_->function = step_->path->function;
  if (!step_->before || step_->before->end != SegmentEnd::call) return false;
  // The path that called may have been passed over.
  now_->call = stopped_at(*shape_->function, *step_->before);
  return now_->call != kNone;
}

// A block is there because of the branch that decided on it last, or of what entered.
void ReachedWalk::begin_block(uint32_t block) {
  if (now_->branches.empty()) {
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

void ReachedWalk::end_block(const ShapeItem& item, Token token) {
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

void ReachedWalk::settle_phis() {
  for (const auto& [statement, token] : phis_) now_->results.set(statement, token);
  phis_.clear();
}

const Operand* ReachedWalk::taken_by(const ShapeItem& phi) const {
  const Function& function = *shape_->function;
  const Statement& statement = function.statements[phi.statement];
  uint32_t from = phi.from;
  if (from == kNone && step_->before)
    from = function.segments[step_->before->segments.back()].block;
  for (size_t i = 0; i + 1 < statement.operands.size(); i += 2)
    if (statement.operands[i + 1] == Operand{Operand::Kind::block, from})
      return &statement.operands[i];
  return nullptr;
}

Token ReachedWalk::of(const Operand& operand) const {
  if (operand.kind == Operand::Kind::statement) return now_->results.get(operand.index);
  if (operand.kind == Operand::Kind::argument) return now_->arguments.get(operand.index);
  return {};
}

Token ReachedWalk::of(const Use& use) const {
  if (use.kind == Use::Kind::item) return now_->results.get(shape_->items[use.index].statement);
  if (use.kind == Use::Kind::result) return now_->results.get(use.index);
  return use.kind == Use::Kind::argument ? now_->arguments.get(use.index) : Token{};
}

}  // namespace vestige
