// A binary range coder: each call codes one bit given the probability that it is set, a number of
// kBits bits.
//
// `low` and `range` are 64 bits wide; whenever `range` falls below 2³² four bytes leave. With 16
// bits a well predicted bit (p = 65520/65536) costs 0.0004 bits. Models that are often sure to one
// part in a million use 32 bits; the product with the range is then taken in full. A carry runs
// back into bytes already written, which is why the encoder owns its buffer.
//
//   payload := bytes          the value (low … low + range) of all bits, first byte highest
//
// Encoder and decoder have the same face, so a model is written once: `bool code(bit, p)` codes
// `bit` or, when decoding, ignores it, and gives the bit. `code_level` is the same without a branch
// on the bit, for bits that are hard to predict.
//
// A decoder that runs out of bytes reads zeros; `overran()` tells.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "base/bytes.h"

namespace vestige::mix {

// The share of a range that a probability is.
template <unsigned kBits>
uint64_t part_of(uint64_t range, uint32_t p) {
  if constexpr (kBits <= 16)
    return (range >> kBits) * p;
  else
    return static_cast<uint64_t>(static_cast<unsigned __int128>(range) * p >> kBits);
}
// Zeros left out at the payload's end, at most: more would look like bytes that are missing.
inline constexpr int kMostDropped = 8;

template <unsigned kBits>
class RangeEncoderOf {
 public:
  static constexpr bool kDecoding = false;

  bool code(bool bit, uint32_t p) {
    const uint64_t bound = part_of<kBits>(range_, p);
    if (bit) {
      range_ = bound;
    } else {
      range_ -= bound;
      low_ += bound;
      if (low_ < bound) [[unlikely]]
        carry();
    }
    if (range_ < kLeast) [[unlikely]]
      shift_out();
    return bit;
  }
  bool code_level(bool bit, uint32_t p) {
    const uint64_t bound = part_of<kBits>(range_, p);
    const uint64_t set = -static_cast<uint64_t>(bit);
    const uint64_t step = bound & ~set;
    range_ = (bound & set) | ((range_ - bound) & ~set);
    low_ += step;
    if (low_ < step) [[unlikely]]
      carry();
    if (range_ < kLeast) [[unlikely]]
      shift_out();
    return bit;
  }
  // Ends the payload, gives it, and starts over.
  Bytes finish() {
    // Any value in [low, low + range) does: take the one with the most zero bytes at its end.
    for (int kept = 1; kept <= 8; ++kept) {
      const int drop = 64 - 8 * kept;
      const uint64_t mask = drop == 0 ? 0 : (uint64_t{1} << drop) - 1;
      const uint64_t value = (low_ + mask) & ~mask;
      const bool wrapped = value < low_;
      if (value - low_ >= range_) continue;
      if (wrapped) carry();
      for (int i = 0; i < kept; ++i) out_.push_back(static_cast<uint8_t>(value >> (56 - 8 * i)));
      break;
    }
    for (int i = 0; i < kMostDropped && !out_.empty() && out_.back() == 0; ++i) out_.pop_back();
    low_ = 0;
    range_ = ~uint64_t{0};
    return std::exchange(out_, {});
  }

 private:
  static constexpr uint64_t kLeast = uint64_t{1} << 32;
  [[gnu::noinline]] void carry() {
    for (size_t i = out_.size(); i-- > 0 && ++out_[i] == 0;) {
    }
  }
  [[gnu::noinline]] void shift_out() {
    do {
      for (int shift = 56; shift >= 32; shift -= 8)
        out_.push_back(static_cast<uint8_t>(low_ >> shift));
      low_ <<= 32;
      range_ <<= 32;
    } while (range_ < kLeast);
  }
  uint64_t low_ = 0;
  uint64_t range_ = ~uint64_t{0};
  Bytes out_;
};

template <unsigned kBits>
class RangeDecoderOf {
 public:
  static constexpr bool kDecoding = true;

  explicit RangeDecoderOf(ByteView bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()), value_(uint64_t{word()} << 32) {
    value_ |= word();
  }
  bool code(bool, uint32_t p) {
    const uint64_t bound = part_of<kBits>(range_, p);
    const bool bit = value_ < bound;
    if (bit) {
      range_ = bound;
    } else {
      range_ -= bound;
      value_ -= bound;
    }
    if (range_ < kLeast) [[unlikely]]
      shift_in();
    return bit;
  }
  bool code_level(bool, uint32_t p) {
    const uint64_t bound = part_of<kBits>(range_, p);
    const bool bit = value_ < bound;
    const uint64_t set = -static_cast<uint64_t>(bit);
    value_ -= bound & ~set;
    range_ = (bound & set) | ((range_ - bound) & ~set);
    if (range_ < kLeast) [[unlikely]]
      shift_in();
    return bit;
  }
  // True when more was read than a whole payload lacks: the coder's last seven bytes, which may all
  // be left out, and the zeros dropped before them.
  bool overran() const { return missing_ > 7 + kMostDropped; }

 private:
  static constexpr uint64_t kLeast = uint64_t{1} << 32;
  uint32_t word() {
    uint32_t w = 0;
    for (int i = 0; i < 4; ++i) {
      w <<= 8;
      if (at_ < end_)
        w |= *at_++;
      else
        ++missing_;
    }
    return w;
  }
  [[gnu::noinline]] void shift_in() {
    do {
      value_ = value_ << 32 | word();
      range_ <<= 32;
    } while (range_ < kLeast);
  }
  const uint8_t* at_;
  const uint8_t* end_;
  uint64_t missing_ = 0;
  uint64_t range_ = ~uint64_t{0};
  uint64_t value_ = 0;
};

using RangeEncoder = RangeEncoderOf<16>;
using RangeDecoder = RangeDecoderOf<16>;

// A column as a model sees it: to be read when encoding, to be filled when decoding.
template <class Coder>
using ColumnOf = std::span<std::conditional_t<Coder::kDecoding, uint64_t, const uint64_t>>;

}  // namespace vestige::mix
