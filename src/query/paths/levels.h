// What a stretch of a thread's path means for a pattern: how many matches end in activations that
// are wholly inside, what it does to the activations that were there before, and in what state it
// leaves those it began. The paper's flags per relative nesting level (section 4.2), kept only for
// levels where the function itself ran: a million calls of others cost nothing.
//
// Depth is relative to the beginning of the stretch (terminal.h). `before` holds levels at most 0,
// the highest first: once a lower one is touched, the higher ones have ended. `open` holds levels
// above `lowest`, rising: activations that began here and go on.
//
// The same class walks a trace with states that are known: concrete() begins below everything, so
// all levels count as begun here, in state 0.
//
// `strict` patterns ask who called: then only activations that were seen to be entered take part,
// and a level that is not listed is one that does not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "query/paths/transforms.h"
#include "trace/paths/path_grammar.h"

namespace vestige {

struct Level {
  int32_t depth = 0;
  uint32_t what = 0;   // before: a transform; open: a state
  uint64_t count = 0;  // before: matches from state 0
};

struct LevelsView {
  uint64_t count = 0;  // in activations that begin and end inside, and of open ones so far
  std::span<const Level> before, open;
};

class Levels {
 public:
  explicit Levels(bool strict) : strict_(strict) {}
  static Levels concrete(bool strict) {
    Levels levels(strict);
    levels.lowest_ = INT64_MIN / 2;
    return levels;
  }

  LevelsView view() const { return {count_, before_, open_}; }
  Extent extent() const { return {0, depth_, lowest_}; }
  uint64_t count() const { return count_; }
  void clear() {
    before_.clear();
    open_.clear();
    depth_ = lowest_ = 0;
    count_ = 0;
  }

  // Goes on over something in which the function does not run.
  void pass(const Extent& extent) {
    if ((extent.lowest | extent.net) == 0) return;
    close_above(depth_ + extent.lowest);
    depth_ += extent.net;
  }
  // Goes on over something of which the levels are known.
  void apply(const LevelsView& next, const Extent& extent, Transforms& transforms);
  // Goes on over blocks of the innermost activation alone; it stays as deep as it is.
  void apply(const Transforms::Made& blocks, Transforms& transforms) {
    Level* level = nullptr;
    if (depth_ > lowest_) {
      if (!open_.empty() && open_.back().depth == depth_) {
        level = &open_.back();
      } else {
        if (strict_) return;
        level = &open_.emplace_back(Level{static_cast<int32_t>(depth_), 0, 0});
      }
      count_ += blocks.count + transforms.extra(blocks.transform, level->what);
      level->what = transforms.next(blocks.transform, level->what);
      if (level->what == 0 && !strict_) open_.pop_back();
    } else if (!before_.empty() && before_.back().depth == depth_) {
      const auto made = transforms.join(before_.back().what, blocks.transform);
      before_.back().what = made.transform;
      before_.back().count += blocks.count + made.count;
    } else {
      before_.push_back({static_cast<int32_t>(depth_), blocks.transform, blocks.count});
    }
  }
  // The matches that apply() would add.
  uint64_t gain(const Transforms::Made& blocks, const Transforms& transforms) const {
    const uint32_t state = innermost();
    return state == kNone ? 0 : blocks.count + transforms.extra(blocks.transform, state);
  }
  uint64_t gain(const LevelsView& next, const Transforms& transforms) const;
  // The state of the innermost activation; kNone when it takes no part.
  uint32_t innermost() const {
    if (!open_.empty() && open_.back().depth == depth_) return open_.back().what;
    return strict_ ? kNone : 0;
  }

  // A terminal by itself: `innermost` is done to the activation that is there, then one is entered
  // and left as the extent says, in state `entered` (kNone: it takes no part).
  void set(Transforms::Made innermost, uint32_t entered, uint64_t count);

 private:
  void close_above(int64_t bottom) {
    while (!open_.empty() && open_.back().depth > bottom) open_.pop_back();
    if (bottom < lowest_) lowest_ = bottom;
  }
  bool strict_;
  int64_t depth_ = 0, lowest_ = 0;
  uint64_t count_ = 0;
  std::vector<Level> before_, open_;
};

}  // namespace vestige
