// The columns that a block of dependences consists of: each is squeezed by itself.
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"

namespace vestige {

// Frozen with the version of the file.
enum class BlockColumn : uint8_t {
  head,      // position, changes, paths that occur
  paths,     // which of them ran
  classes,   // per path and label: how the labels of its executions are told
  codes,     // per execution, where that differs from time to time
  sizes,     // bytes of an explicit distance
  low, middle, high,  // its bytes
  items,     // explicit items
  parts,
  count_
};
inline constexpr size_t kBlockColumns = static_cast<size_t>(BlockColumn::count_);

// How the labels of a statement in a path are told, for all executions of the path in a block.
enum class LabelClass : uint8_t {
  local = 0,     // item of the same path
  distance = 1,  // distance, item: always the same
  moment = 2,    // distance of the first, item: always the same execution
  nobody = 3, changed = 4, nowhere = 5,
  shared = 6,    // number, item: the same distances as of that label of the path
  codes = 7,     // one by one
};

// How one label is told, from those before of the same statement and path in the block.
enum class LabelCode : uint8_t {
  same = 0,           // distance and item
  same_moment = 1,    // time and item
  stride = 2,         // the time moved on as it did the time before, the item is the same
  second = 3,         // distance and item are those of the label before the last
  beside = 4,         // the distance of the label before in the path, the item of the last
  beside_item = 5,    // that distance; item
  distance = 6,       // distance; the item of the last
  whole = 7,          // distance and item
  parts = 8,
  nobody = 9, changed = 10, nowhere = 11,
};

// What both sides remember of a statement's labels.
struct LabelHistory {
  uint64_t distance = 0, time = 0;  // of the last that was written by one
  uint64_t distance2 = 0, time2 = 0;
  uint32_t item = 0, item2 = 0;
  unsigned known = 0;

  void add(uint64_t now, uint64_t at, uint32_t which) {
    distance2 = distance;
    time2 = time;
    item2 = item;
    distance = now - at;
    time = at;
    item = which;
    if (known < 2) ++known;
  }
};

}  // namespace vestige
