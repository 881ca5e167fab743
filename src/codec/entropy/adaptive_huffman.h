// Dynamic Huffman codes over a fixed set of symbols: after every symbol the code is optimal for the
// frequencies counted so far.
//
// Knuth, "Dynamic Huffman Coding", Journal of Algorithms 6 (1985), the VPC paper's [17], with one
// simplification the paper makes (section 3.1): every symbol starts with a frequency above zero, so
// the set of symbols never grows and no node weighs nothing.
//
// Nodes stand at places 0 … 2n-2, the root at the last. Invariants:
//   1. Weights do not fall from a place to the next.
//   2. Places 2k and 2k+1 are siblings, and their parent stands higher than both.
//   3. A node's weight is its symbol's frequency, or the sum of its children's weights.
// From 1: the symbol at the highest place is the most frequent one. Its code is the shortest too,
// but for ties: where inner nodes weigh the same, a symbol at a lower place may stand a level
// higher.
//
// The start: leaves sorted by frequency (of equals, the lower symbol is placed higher), then the
// usual construction with two queues; of a leaf and an inner node of the same weight the leaf goes
// first. Counting a symbol: its node changes places with the highest node of the same weight, grows
// by one, and so does its parent in turn, up to the root. A code is the path from the root: bit 1
// leads to the odd place of the pair.
//
// Cost: about the length of the code, a few steps more where many weights are equal.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/entropy/bit_stream.h"

namespace vestige::vpc {

class AdaptiveHuffman {
 public:
  static constexpr unsigned kMostSymbols = 64;

  // 2 … kMostSymbols frequencies, each above zero.
  explicit AdaptiveHuffman(std::span<const uint32_t> frequencies);

  void put(unsigned symbol, BitWriter& out) const {
    uint64_t code = 0;
    unsigned length = 0;
    for (unsigned at = place_[symbol]; at != root_; at = parent_[at / 2]) {
      code = code << 1 | (at & 1);
      ++length;
    }
    out.put(code, length);
  }
  unsigned get(BitReader& in) const {
    unsigned node = node_[root_];
    while (node >= kInner) node = node_[(node - kInner) * 2 + in.bit()];
    return node;
  }
  void count(unsigned symbol) {
    unsigned at = place_[symbol];
    while (at != root_) {
      const uint64_t weight = weight_[at];
      unsigned highest = at;
      while (weight_[highest + 1] == weight) ++highest;
      if (highest != at) exchange(at, highest);
      ++weight_[highest];
      at = parent_[highest / 2];
    }
    ++weight_[root_];
  }
  unsigned most_frequent() const {
    unsigned at = root_ - 1;
    while (node_[at] >= kInner) --at;
    return node_[at];
  }
  // The symbol of the highest place that `wanted` accepts, or `otherwise`.
  template <class Wanted>
  unsigned first(unsigned otherwise, Wanted wanted) const {
    for (unsigned at = root_; at-- > 0;)
      if (node_[at] < kInner && wanted(node_[at])) return node_[at];
    return otherwise;
  }
  // All symbols from the highest place to the lowest.
  template <class Visit>
  void each(Visit visit) const {
    for (unsigned at = root_; at-- > 0;)
      if (node_[at] < kInner) visit(node_[at]);
  }
  unsigned code_length(unsigned symbol) const {
    unsigned length = 0;
    for (unsigned at = place_[symbol]; at != root_; at = parent_[at / 2]) ++length;
    return length;
  }
  uint64_t frequency(unsigned symbol) const { return weight_[place_[symbol]]; }

 private:
  static constexpr unsigned kInner = kMostSymbols;  // node kInner + k: children at 2k and 2k+1
  static constexpr unsigned kPlaces = 2 * kMostSymbols;

  void exchange(unsigned low, unsigned high) {
    std::swap(node_[low], node_[high]);
    settle(low);
    settle(high);
  }
  void settle(unsigned at) {
    if (node_[at] < kInner)
      place_[node_[at]] = static_cast<uint8_t>(at);
    else
      parent_[node_[at] - kInner] = static_cast<uint8_t>(at);
  }

  unsigned root_ = 0;
  std::array<uint64_t, kPlaces> weight_{};
  std::array<uint8_t, kPlaces> node_{};         // by place: a symbol, or kInner + pair of children
  std::array<uint8_t, kMostSymbols> place_{};   // by symbol
  std::array<uint8_t, kMostSymbols> parent_{};  // by pair
};

}  // namespace vestige::vpc
