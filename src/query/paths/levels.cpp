#include "query/paths/levels.h"

namespace vestige {

void Levels::set(Transforms::Made innermost, uint32_t entered, uint64_t count) {
  clear();
  count_ = count;
  if (innermost.transform != Transforms::kIdentity || innermost.count != 0)
    before_.push_back({0, innermost.transform, innermost.count});
  if (entered != kNone && (strict_ || entered != 0)) open_.push_back({1, entered, 0});
}

void Levels::apply(const LevelsView& next, const Extent& extent, Transforms& transforms) {
  for (const Level& level : next.before) {
    const int64_t depth = depth_ + level.depth;
    close_above(depth);
    if (depth > lowest_) {
      uint32_t state = 0;
      const bool listed = !open_.empty() && open_.back().depth == depth;
      if (listed) {
        state = open_.back().what;
        open_.pop_back();
      } else if (strict_) {
        continue;
      }
      count_ += level.count + transforms.extra(level.what, state);
      const uint32_t then = transforms.next(level.what, state);
      if (strict_ || then != 0) open_.push_back({static_cast<int32_t>(depth), then, 0});
    } else if (!before_.empty() && before_.back().depth == depth) {
      const auto made = transforms.join(before_.back().what, level.what);
      before_.back().what = made.transform;
      before_.back().count += level.count + made.count;
    } else {
      before_.push_back({static_cast<int32_t>(depth), level.what, level.count});
    }
  }
  count_ += next.count;
  close_above(depth_ + extent.lowest);
  for (const Level& level : next.open)
    open_.push_back({static_cast<int32_t>(depth_ + level.depth), level.what, 0});
  depth_ += extent.net;
}

uint64_t Levels::gain(const LevelsView& next, const Transforms& transforms) const {
  uint64_t gained = next.count;
  size_t at = open_.size();
  for (const Level& level : next.before) {
    const int64_t depth = depth_ + level.depth;
    while (at > 0 && open_[at - 1].depth > depth) --at;
    uint32_t state = 0;
    if (at > 0 && open_[at - 1].depth == depth)
      state = open_[at - 1].what;
    else if (strict_)
      continue;
    gained += level.count + transforms.extra(level.what, state);
  }
  return gained;
}

}  // namespace vestige
