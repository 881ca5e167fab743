// Reading and writing little-endian integers, LEB128 varints and length-prefixed strings.
//
// ByteReader never reads past its end: the first read that would, sets `failed()`, and that
// read and all later ones give zeros. Callers parse a whole structure and check once. Counts
// that size an allocation go through `count()`, which fails when the remaining bytes cannot
// hold that many items, so hostile lengths never allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vestige {

using Bytes = std::vector<uint8_t>;
using ByteView = std::span<const uint8_t>;

class ByteWriter {
 public:
  void u8(uint8_t v) { out_.push_back(v); }
  void u16(uint16_t v) { fixed(&v, sizeof v); }
  void u32(uint32_t v) { fixed(&v, sizeof v); }
  void u64(uint64_t v) { fixed(&v, sizeof v); }
  void varint(uint64_t v) {
    while (v >= 0x80) {
      out_.push_back(static_cast<uint8_t>(v) | 0x80);
      v >>= 7;
    }
    out_.push_back(static_cast<uint8_t>(v));
  }
  // Zigzag: small magnitudes of either sign stay short.
  void svarint(int64_t v) {
    varint((static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63));
  }
  void string(std::string_view s) {
    varint(s.size());
    bytes({reinterpret_cast<const uint8_t*>(s.data()), s.size()});
  }
  void bytes(ByteView b) { out_.insert(out_.end(), b.begin(), b.end()); }
  void align(size_t to) {
    while (out_.size() % to != 0) out_.push_back(0);
  }
  size_t size() const { return out_.size(); }
  Bytes& buffer() { return out_; }
  Bytes take() { return std::move(out_); }

 private:
  void fixed(const void* v, size_t n) {
    const auto* p = static_cast<const uint8_t*>(v);
    out_.insert(out_.end(), p, p + n);
  }
  Bytes out_;
};

class ByteReader {
 public:
  explicit ByteReader(ByteView in = {}) : in_(in) {}

  uint8_t u8() { return fixed<uint8_t>(); }
  uint16_t u16() { return fixed<uint16_t>(); }
  uint32_t u32() { return fixed<uint32_t>(); }
  uint64_t u64() { return fixed<uint64_t>(); }
  uint64_t varint() {
    if (!failed_ && at_ < in_.size() && in_[at_] < 0x80) return in_[at_++];  // as most are
    return long_varint();
  }
  int64_t svarint() {
    const uint64_t v = varint();
    return static_cast<int64_t>(v >> 1) ^ -static_cast<int64_t>(v & 1);
  }
  // A varint that must fit 32 bits.
  uint32_t varint32() {
    const uint64_t v = varint();
    if (v > UINT32_MAX) failed_ = true;
    return failed_ ? 0 : static_cast<uint32_t>(v);
  }
  // A number of items that follow, each at least `least` bytes long.
  size_t count(size_t least = 1) {
    const uint64_t n = varint();
    if (failed_ || n > remaining() / least) {
      failed_ = true;
      return 0;
    }
    return n;
  }
  std::string string() {
    const ByteView b = bytes(varint());
    return {reinterpret_cast<const char*>(b.data()), b.size()};
  }
  ByteView bytes(uint64_t n) {
    if (failed_ || n > remaining()) {
      failed_ = true;
      return {};
    }
    const ByteView b = in_.subspan(at_, n);
    at_ += n;
    return b;
  }
  void fail() { failed_ = true; }
  bool failed() const { return failed_; }
  size_t at() const { return at_; }
  size_t remaining() const { return in_.size() - at_; }

 private:
  template <class T>
  T fixed() {
    T v{};
    if (failed_ || remaining() < sizeof v) {
      failed_ = true;
      return v;
    }
    std::memcpy(&v, in_.data() + at_, sizeof v);
    at_ += sizeof v;
    return v;
  }
  uint64_t long_varint() {
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const uint8_t byte = u8();
      v |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return v;
    }
    failed_ = true;
    return 0;
  }
  ByteView in_;
  size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace vestige
