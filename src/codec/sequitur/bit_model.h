// Adaptive probabilities and numbers, for coding a grammar bit by bit (grammar_model.h) with the
// range coder and the mixing of codec/mix. Integers only: both sides agree on any machine.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "codec/entropy/logistic.h"

namespace vestige::sequitur {

// Keeps a bit from costing more than 11 bits, and a million of them less than 60 bytes.
inline uint32_t codable(uint64_t p) {
  return static_cast<uint32_t>(std::clamp<uint64_t>(p, 32, 65504));
}

// What part of the error is learnt from after n bits: 1 / (n + 1.6), in 16 bits.
inline constexpr std::array<uint32_t, 256> kLearningRates = [] {
  std::array<uint32_t, 256> rates{};
  for (uint32_t n = 0; n < 256; ++n) rates[n] = 655360 / (10 * n + 16);
  return rates;
}();

// A probability that follows the bits it is shown, fast at first, then slower down to 1/kLimit.
class AdaptiveBit {
 public:
  AdaptiveBit() = default;
  explicit AdaptiveBit(uint16_t p) : state_(uint32_t{p} << 16) {}
  uint32_t one() const { return codable(state_ >> 16); }
  int16_t evidence() const { return mix::stretch(static_cast<uint16_t>(state_ >> 16)); }
  void learn(bool bit) {
    constexpr uint32_t kLimit = 250;
    const uint32_t n = state_ & 0xff;
    const int64_t p = state_ >> 8;
    const int64_t target = bit ? (1 << 24) - 1 : 0;
    const auto moved = static_cast<uint32_t>(p + (target - p) * kLearningRates[n] / 65536);
    state_ = moved << 8 | std::min(n + 1, kLimit);
  }

 private:
  uint32_t state_ = uint32_t{1} << 31;  // the probability in 24 bits, the bits seen in 8
};

template <class Coder>
bool code_bit(Coder& coder, AdaptiveBit& model, bool bit) {
  bit = coder.code(bit, model.one());
  model.learn(bit);
  return bit;
}

// Any 64-bit number: its length in bits, the three bits below the highest one, the rest as it is.
class NumberModel {
 public:
  template <class Coder>
  uint64_t code(Coder& coder, uint64_t number) {
    uint32_t node = 1;
    for (unsigned bit = 7; bit-- > 0;)
      node = 2 * node + code_bit(coder, lengths_[node], std::bit_width(number) >> bit & 1);
    const unsigned length = std::min(node - 128, 64u);
    if (length <= 1) return length;
    uint64_t out = 1;
    for (unsigned bit = length - 1; bit-- > 0;) {
      const bool set = number >> bit & 1;
      out = out << 1 | static_cast<uint64_t>(out < 8 ? code_bit(coder, heads_[length][out], set)
                                                     : coder.code(set, 1 << 15));
    }
    return out;
  }

 private:
  std::array<AdaptiveBit, 128> lengths_;
  std::array<std::array<AdaptiveBit, 8>, 65> heads_;
};

}  // namespace vestige::sequitur
