// The bytes a thread last saw at each address, as the instrumented program kept them: see
// program/derive.h. Direct-mapped, no tags, so it holds what the program's own shadow held,
// aliases included.
//
// Where a recording has holes, bytes are *forgotten*: a load that finds them without being told a
// value has an unknown one. That is kept in a second table, which exists from the first forgotten
// byte on; without it every byte is known.
//
// An evaluation of a short time costs the pages it touches only.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/zero_pages.h"
#include "program/derive.h"

namespace vestige {

class Shadow {
 public:
  static_assert(std::endian::native == std::endian::little);
  static constexpr uint64_t kMask = kShadowBytes - 1;

  static constexpr size_t kSize = kShadowBytes + kShadowSlack;

  Shadow() : bytes_(kSize) {}

  uint8_t* bytes() { return bytes_.data(); }
  const uint8_t* bytes() const { return bytes_.data(); }
  bool all_known() const { return forgotten_.empty(); }

  template <unsigned kBytes>
  static uint64_t read(const uint8_t* at) {
    uint64_t value = 0;
    std::memcpy(&value, at, kBytes);
    return value;
  }
  template <unsigned kBytes>
  static void write(uint8_t* at, uint64_t value) {
    std::memcpy(at, &value, kBytes);
  }

  bool known(uint64_t address, unsigned bytes) const {
    if (all_known()) return true;
    const uint8_t* at = forgotten_.data() + (address & kMask);
    for (unsigned i = 0; i < bytes; ++i)
      if (at[i]) return false;
    return true;
  }
  // The same for a place, which is no address: it may lie past the end.
  bool place_known(size_t place, unsigned bytes) const {
    if (all_known()) return true;
    return std::none_of(forgotten_.data() + place, forgotten_.data() + place + bytes,
                        [](uint8_t byte) { return byte != 0; });
  }
  void remember_place(size_t place, unsigned bytes) {
    if (!all_known() && !blind_) std::memset(forgotten_.data() + place, 0, bytes);
  }
  void forget_place(size_t place, unsigned bytes) {
    if (all_known()) forgotten_.resize(kSize);
    std::memset(forgotten_.data() + place, 1, bytes);
  }
  // Of one byte: its place, not an address.
  bool byte_known(size_t place) const { return all_known() || !forgotten_[place]; }
  void set_bytes(size_t place, std::span<const uint8_t> bytes) {
    std::memcpy(bytes_.data() + place, bytes.data(), bytes.size());
    if (!all_known()) std::memset(forgotten_.data() + place, 0, bytes.size());
  }
  void remember(uint64_t address, unsigned bytes) {
    if (!all_known() && !blind_) std::memset(forgotten_.data() + (address & kMask), 0, bytes);
  }
  void forget(uint64_t address, unsigned bytes) {
    if (all_known()) forgotten_.resize(kSize);
    std::memset(forgotten_.data() + (address & kMask), 1, bytes);
  }
  // The pieces of a range that memcpy and memset work on (program/derive.h): place and size.
  template <class Do>
  static void each_piece(uint64_t to, uint64_t bytes, Do&& act) {
    bytes = std::min(bytes, kShadowBytes);
    for (uint64_t at = 0; at < bytes; at += kShadowPiece)
      act((to + at) & kMask, std::min(kShadowPiece, bytes - at));
  }
  void copy(uint64_t to, uint64_t from, uint64_t bytes) {
    bytes = std::min(bytes, kShadowBytes);
    const uint64_t pieces = (bytes + kShadowPiece - 1) / kShadowPiece;
    const bool backwards = (to & kMask) > (from & kMask);
    for (uint64_t i = 0; i < pieces; ++i) {
      const uint64_t at = (backwards ? pieces - 1 - i : i) * kShadowPiece;
      const uint64_t count = std::min(kShadowPiece, bytes - at);
      const uint64_t there = (to + at) & kMask, here = (from + at) & kMask;
      std::memmove(bytes_.data() + there, bytes_.data() + here, count);
      if (!all_known() && !blind_)
        std::memmove(forgotten_.data() + there, forgotten_.data() + here, count);
    }
  }
  void fill(uint64_t to, uint8_t value, uint64_t bytes) {
    each_piece(to, bytes, [&](uint64_t at, uint64_t count) {
      std::memset(bytes_.data() + at, value, count);
      if (!all_known() && !blind_) std::memset(forgotten_.data() + at, 0, count);
    });
  }
  void forget_range(uint64_t to, uint64_t bytes) {
    if (all_known()) forgotten_.resize(kSize);
    each_piece(to, bytes, [&](uint64_t at, uint64_t count) {
      std::memset(forgotten_.data() + at, 1, count);
    });
  }
  void reset() {
    bytes_.clear();
    forgotten_ = {};
  }
  void forget_all() { forgotten_.assign(kSize, 1); }
  // Nothing is told of this thread: what it reads next is never known, whatever it stored.
  void go_blind() {
    forget_all();
    blind_ = true;
  }

 private:
  ZeroPages bytes_;
  std::vector<uint8_t> forgotten_;  // empty, or 1 for each byte of bytes_ that is not known
  bool blind_ = false;
};

}  // namespace vestige
