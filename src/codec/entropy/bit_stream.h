// Bits in bytes, the first bit in a byte's lowest place; the last byte is filled up with zeros.
//
// A BitReader never reads past its end: what lies beyond it reads as zeros, and finish() then
// tells that the bits did not suffice.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "base/bytes.h"

namespace vestige::vpc {

// The low `count` bits set; count 0 … 64.
inline uint64_t low_bits(unsigned count) {
  return count < 64 ? (uint64_t{1} << count) - 1 : ~uint64_t{0};
}

class BitWriter {
 public:
  // The low `count` bits of `bits`, the lowest first; count 0 … 64.
  void put(uint64_t bits, unsigned count) {
    bits &= low_bits(count);
    pending_ |= bits << used_;
    used_ += count;
    if (used_ < 64) return;
    append(8);
    used_ -= 64;
    // What did not fit; all of it did when nothing was pending before.
    const unsigned taken = count - used_;
    pending_ = taken < 64 ? bits >> taken : 0;
  }
  uint64_t bits() const { return out_.size() * uint64_t{8} + used_; }
  // Gives everything put so far, filled up to a byte, and starts over.
  Bytes take() {
    append((used_ + 7) / 8);
    pending_ = 0;
    used_ = 0;
    return std::exchange(out_, {});
  }

 private:
  void append(size_t bytes) {
    uint8_t raw[8];
    std::memcpy(raw, &pending_, 8);
    out_.insert(out_.end(), raw, raw + bytes);
  }
  Bytes out_;
  uint64_t pending_ = 0;
  unsigned used_ = 0;  // of pending_; below 64
};

class BitReader {
 public:
  explicit BitReader(ByteView in) : next_(in.data()), end_(in.data() + in.size()) {}

  unsigned bit() {
    if (count_ == 0) refill();
    const unsigned bit = bits_ & 1;
    bits_ >>= 1;
    --count_;
    return bit;
  }
  // count 0 … 64
  uint64_t get(unsigned count) {
    if (count == 0) return 0;
    if (count_ >= count) return take(count);
    const unsigned low = count_;
    const uint64_t first = bits_;  // above count_ it holds zeros
    refill();
    // Fewer than `count` bits may be left; zeros follow them.
    while (count_ < count - low) pad();
    return first | take(count - low) << low;
  }
  bool overrun() const { return overrun_; }
  // True when exactly the bits that were there have been read, up to the zeros that fill the last
  // byte.
  bool finish() { return !overrun_ && next_ == end_ && count_ < 8 && bits_ == 0; }

 private:
  uint64_t take(unsigned count) {
    const uint64_t value = bits_ & low_bits(count);
    bits_ = count < 64 ? bits_ >> count : 0;
    count_ -= count;
    return value;
  }
  void refill() {
    const size_t left = static_cast<size_t>(end_ - next_);
    const size_t n = left < 8 ? left : 8;
    bits_ = 0;
    if (n > 0) std::memcpy(&bits_, next_, n);
    next_ += n;
    count_ = static_cast<unsigned>(n) * 8;
    if (n == 0) pad();
  }
  void pad() {
    overrun_ = true;
    count_ = 64;
  }
  const uint8_t* next_;
  const uint8_t* end_;
  uint64_t bits_ = 0;
  unsigned count_ = 0;
  bool overrun_ = false;
};

}  // namespace vestige::vpc
