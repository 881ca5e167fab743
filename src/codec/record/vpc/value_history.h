// The first level of a field's predictors: what they share about the values seen so far, per line.
//
// The line of a row is chosen by its PC (2^14 lines), or there is one line for all rows: the PC
// field and layouts without a PC are predicted globally. Per line (VPC paper, section 5.3):
//   the last n distinct values, the most recent first; n is what the longest last-n predictor
//     asks for, and at least 1, since the stride, DFCM and global/local predictors need the last
//     value;
//   the last m values folded to 14 bits, for the FCM predictors, m the highest order among them;
//   the last m strides folded to 14 bits, for the DFCM predictors, likewise.
//
// The index function is select-fold-shift-xor, as the paper takes it from [1]: a value is cut into
// pieces of 14 bits, which are xored; the folded value that is i steps old (0: the latest) is
// shifted left by i bits; all of them are xored. Ours also multiplies a folded value, which spreads
// small ones (most strides are small) over the 14 bits.
//     index(k) = fold(latest) ^ fold(before) << 1 ^ … ^ fold(oldest) << (k-1)
// So a table of order k has 2^(13+k) lines: exactly the sizes of section 5.3, and all folded values
// fit its two-byte fields. Each index is computed once per row, for prediction and update.
//
// A row goes: open(line) – predict – arrive(value) – update – close().
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/zeroed_table.h"
#include "codec/entropy/bit_stream.h"

namespace vestige::vpc {

inline constexpr unsigned kMostOrder = 8;
inline constexpr unsigned kFoldBits = 14;
inline constexpr unsigned kLineBits = 14;

// How many lines the table behind an index of this order has.
constexpr size_t lines_of_order(unsigned order) { return size_t{1} << (kFoldBits + order - 1); }

// The pieces of 14 bits xored, times an odd number near 2^14 divided by the golden ratio.
constexpr uint16_t fold(uint64_t value) {
  value ^= value >> 28 ^ value >> 56;
  value ^= value >> 14;
  return value * 0x2765 & ((1 << kFoldBits) - 1);
}

// What the predictors of a field ask their history to keep: as numbers, or fixed at compile time.
struct HistoryNeeds {
  unsigned last_values = 1;
  unsigned value_order = 0;
  unsigned stride_order = 0;
};
template <unsigned kLastValues, unsigned kValueOrder, unsigned kStrideOrder>
struct FixedHistoryNeeds {
  static constexpr unsigned last_values = kLastValues;
  static constexpr unsigned value_order = kValueOrder;
  static constexpr unsigned stride_order = kStrideOrder;
};

// Moves `value` to the front of `count` values, which stay distinct: it leaves its old place, or
// the last one drops out.
inline void move_to_front(uint64_t* values, unsigned count, uint64_t value) {
  uint64_t moved = value;
  for (unsigned i = 0; i < count; ++i) {
    std::swap(moved, values[i]);
    if (moved == value) return;
  }
}

template <class Needs>
class ValueHistory {
 public:
  // `lines` is a power of two; values have `width` bytes, 1 … 8.
  ValueHistory(size_t lines, unsigned width, const Needs& needs)
      : lines_(lines),
        mask_(low_bits(8 * width)),
        needs_(needs),
        last_(lines * needs.last_values, Pages::small),
        values_(lines * needs.value_order, Pages::small),
        strides_(lines * needs.stride_order, Pages::small) {}

  void open(uint32_t line) {
    line_ = line;
    recent_ = last_.data() + size_t{line} * needs_.last_values;
    last_value_ = recent_[0];
    folded_values_ = values_.data() + size_t{line} * needs_.value_order;
    folded_strides_ = strides_.data() + size_t{line} * needs_.stride_order;
    indices(folded_values_, needs_.value_order, value_index_);
    indices(folded_strides_, needs_.stride_order, stride_index_);
  }
  void arrive(uint64_t value) {
    value_ = value;
    stride_ = (value - last_value_) & mask_;
  }
  void close() {
    push(folded_values_, needs_.value_order, value_);
    push(folded_strides_, needs_.stride_order, stride_);
    move_to_front(recent_, needs_.last_values, value_);
  }

  // From open() on:
  uint32_t line() const { return line_; }
  uint64_t last_value() const { return last_value_; }
  const uint64_t* recent() const { return recent_; }  // the line's last values
  size_t value_index(unsigned order) const { return value_index_[order]; }
  size_t stride_index(unsigned order) const { return stride_index_[order]; }
  // From arrive() on:
  uint64_t value() const { return value_; }
  uint64_t stride() const { return stride_; }  // from the last value, cut to the width
  // At any time:
  size_t lines() const { return lines_; }
  uint64_t mask() const { return mask_; }
  uint64_t last_value_of(uint32_t line) const { return last_[size_t{line} * needs_.last_values]; }
  size_t table_bytes() const { return last_.bytes() + values_.bytes() + strides_.bytes(); }

 private:
  using Indices = std::array<uint32_t, kMostOrder + 1>;

  static void indices(const uint16_t* folded, unsigned order, Indices& out) {
    uint32_t index = 0;
    for (unsigned i = 0; i < order; ++i) {
      index ^= uint32_t{folded[i]} << i;
      out[i + 1] = index;
    }
  }
  static void push(uint16_t* folded, unsigned order, uint64_t value) {
    if (order == 0) return;
    for (unsigned i = order - 1; i > 0; --i) folded[i] = folded[i - 1];
    folded[0] = fold(value);
  }

  size_t lines_;
  uint64_t mask_;
  [[no_unique_address]] Needs needs_;
  ZeroedTable<uint64_t> last_;
  ZeroedTable<uint16_t> values_, strides_;

  uint32_t line_ = 0;
  uint64_t* recent_ = nullptr;
  uint16_t* folded_values_ = nullptr;
  uint16_t* folded_strides_ = nullptr;
  uint64_t last_value_ = 0, value_ = 0, stride_ = 0;
  Indices value_index_{}, stride_index_{};
};

}  // namespace vestige::vpc
