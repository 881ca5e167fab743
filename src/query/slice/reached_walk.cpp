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

}  // namespace vestige
