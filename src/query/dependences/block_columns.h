// The columns that a block of dependences consists of: each is squeezed by itself.
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"

namespace vestige {

// Frozen with the version of the file.
enum class BlockColumn : uint8_t {
  head,     // position, changes, paths that occur
  paths,    // which of them ran
  classes,  // per path and label: how the labels of its executions are told
  codes,    // per execution, where that differs from time to time
  sizes,    // bytes of an explicit distance, or of a time that moved
  low,
  middle,
  high,     // its bytes
  items,    // explicit items
  parts,    // and offsets in copies
  effects,  // of calls of unrecorded code
  count_
};
inline constexpr size_t kBlockColumns = static_cast<size_t>(BlockColumn::count_);

// How the labels of a statement in a path are told, for all executions of the path in a block.
enum class LabelClass : uint8_t {
  local = 0,     // item of the same path
  distance = 1,  // distance, item: always the same
  moment = 2,    // distance of the first, item: always the same execution
  nobody = 3,
  changed = 4,
  nowhere = 5,
  shared = 6,  // number, item: the same distances as of that label of the path
  codes = 7,   // one by one
};

// How parts are told, besides the kinds of labels.
inline constexpr uint8_t kForeignPart = 6;

// How one label is told, from those before of the same statement and path in the block, and from
// the two before it in its path.
enum class LabelCode : uint8_t {
  same = 0,         // distance and item of the last
  same_moment = 1,  // time and item of the last
  stride = 2,       // the time moved on as it did the time before; the item of the last
  second = 3,       // distance and item are those of the label before the last
  beside = 4,       // as far from the time of the label before in the path as the last; its item
  beside_item = 5,  // the same; item
  beside2 = 6,      // the same with the label before that
  beside2_item = 7,
  distance = 8,       // distance; the item of the last
  distance_item = 9,  // distance, item
  moved = 10,         // time since that of the last, signed; its item
  moved_item = 11,    // the same; item
  parts = 12,
  nobody = 13,
  changed = 14,
  nowhere = 15,
  copied =
      16,  // added to one up to moved_item: a copy wrote it; offset since that of the last, signed
};

// What both sides remember of a statement's labels. Times and distances wrap around; whoever reads
// checks what comes out.
struct LabelHistory {
  uint64_t distance = 0, time = 0;  // of the last that was written by one
  uint64_t distance2 = 0, time2 = 0;
  uint64_t offset = 0;      // of the last that was copied
  uint64_t beside[2] = {};  // its time since those of the two labels before in its path
  uint32_t item = 0, item2 = 0;

  // `before`: the times of the labels before in the path; 0: there is none, or no single one.
  void add(uint64_t now, uint64_t at, uint32_t which, const uint64_t (&before)[2]) {
    distance2 = distance;
    time2 = time;
    item2 = item;
    distance = now - at;
    time = at;
    item = which;
    for (int i = 0; i < 2; ++i)
      if (before[i] != 0) beside[i] = at - before[i];
  }
};

}  // namespace vestige
