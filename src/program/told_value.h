// A told value: one that the program had to give, because it does not follow from others
// (program/derive.h). Pass, runtime, file and evaluator all speak of it in these words.
//
// Frozen: the numbers below are in rings and files (docs/format.md).
#pragma once

#include <cstdint>

namespace vestige {

struct ToldValue {
  // Of the path it belongs to; paths are numbered from 1. A path that was abandoned has the time of
  // the next one that was not, so a told value with index kPathAbandoned stands between theirs.
  uint64_t time = 0;
  uint32_t index = 0;  // the statement, or the number of statements plus k for argument k
  uint64_t value = 0;  // zero-extended
};

// In the place of an index.
// The path in progress was left in the middle; what was told before was told by it.
inline constexpr uint32_t kPathAbandoned = 0x7fffffff;
// From the path of this time on, values were told that are lost (recovery writes it); nothing
// follows.
inline constexpr uint32_t kValuesLost = 0x7ffffffe;
// Before anything else that is told in its path: the thread rounds as `value` says from here on.
inline constexpr uint32_t kRoundingSet = 0x7ffffffd;
// Of MXCSR: denormals are zeros, the way of rounding (two bits), flush to zero.
inline constexpr uint32_t kRoundingBits = 0xe040;
// In an index below those: the value was not told, but given to be compared with (record --check).
inline constexpr uint32_t kChecked = 1u << 30;

}  // namespace vestige
