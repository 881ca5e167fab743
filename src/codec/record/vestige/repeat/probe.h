// Whether a leading column that is no PC is better coded as values (events, identifiers) or as
// differences (addresses, counters, times): a look at a few samples of a block. Only the encoder
// asks; the answer is the block's mode.
#pragma once

#include <cstdint>
#include <span>

#include "codec/record/vestige/repeat/model.h"

namespace vestige::repeat {

// `before` is the value that precedes the column's first; values fit `width` bytes.
bool differences_are_shorter(std::span<const uint64_t> column, unsigned width);

// value − before as a number of `width` bytes, small magnitudes small; and back.
inline uint64_t difference(uint64_t value, uint64_t before, unsigned width) {
  const unsigned unused = 64 - 8 * width;
  const auto step = static_cast<int64_t>((value - before) << unused) >> unused;
  return zigzag(static_cast<uint64_t>(step)) & mask_of(width);
}
inline uint64_t undo_difference(uint64_t step, uint64_t before, unsigned width) {
  return (before + unzigzag(step)) & mask_of(width);
}

}  // namespace vestige::repeat
