// Bidirectional last-n: Zhang and Gupta, "Whole Execution Traces" (MICRO 2004), section 4. The
// paper says that one table serves both directions and leaves the rest to a figure; what follows is
// our completion.
//
// The idea. The table TB holds the n numbers met last, the latest first. A number that is in it is
// named by its place k; a number that is not comes with its value. Moving forward over a number:
//     hit   ⟨T, k⟩   number = TB[k]; it moves to the front, those before it move back by one
//     miss  ⟨F, v⟩   number = v; all move back by one, the last, y, falls out, v comes to the front
// Moving backward over the same number undoes exactly that: the number is TB[0];
//     hit   ⟨T, k⟩   it moves back to place k
//     miss  ⟨F, y⟩   it leaves, the others move up, y comes back to the end
// So a hit's entry reads the same from both sides, and a miss's entry is swapped with what it
// displaces: right of the cursor it holds the number to come in, left of it the number that fell
// out. That is why one table is enough, and the state at a position does not depend on the way
// there.
//
// Why it works on traces: flags, pointers and opcodes alternate among a few values in no fixed
// order, where a context of the values before predicts badly.
//
// On disk is the state at a segment's beginning: TB = 0, 1 … n−1, all entries as seen from the
// left. The displaced numbers are the walk's own.
//
// Byte grammar of a segment of `count` numbers (count > 0):
//     segment := values codes, values given           (pack/values.h)
//     codes   := `count` of them: k < n for a hit at place k, n for a miss
//     given   := the numbers of the misses, in order
//
// Invariants: 1. The state is a function of the position. 2. `order_` is a permutation of 0 … 7.
// 3. The number of misses before the position is both the place in `given` and the height of the
// stack of displaced numbers.
//
// Cost: 1–3 ns a step, whatever n; eight steps at once where a number repeats. Memory: one byte a
// number, 16 bytes a miss.
#pragma once

#include <array>
#include <vector>

#include "codec/stream/bidirectional/segment_walk.h"

namespace vestige {

// Compresses one segment with a table of n = 2, 4 or 8 places; at least one number.
Bytes encode_last(std::span<const uint64_t> numbers, unsigned places);

class LastWalk final : public SegmentWalk {
 public:
  explicit LastWalk(unsigned places) : places_(places) {}

  Result<void> load(ByteView bytes, size_t count) override;
  size_t forward(std::span<uint64_t> out) override;
  size_t backward(std::span<uint64_t> out) override;
  size_t position() const override { return position_; }

  // The state, for the tests.
  uint64_t table(unsigned place) const { return slots_[order_ >> 4 * place & 15]; }
  std::span<const uint64_t> displaced() const { return {displaced_.data(), misses_}; }

 private:
  unsigned places_;
  size_t position_ = 0;
  // The table: place k is slot `nibble k of order_`. Numbers stay in their slots, so moving one to
  // the front is a few shifts of one word.
  uint32_t order_ = 0;
  std::array<uint64_t, 8> slots_{};
  std::vector<uint8_t> codes_;
  std::vector<uint64_t> given_, displaced_;
  size_t misses_ = 0;
};

}  // namespace vestige
