// The bytes a thread last saw at each address, as the instrumented program kept them: see
// program/derive.h. Direct-mapped, no tags, so it holds what the program's own shadow held,
// aliases included.
//
// Where a recording has holes, or something is stored at an address that is not known, bytes are
// *forgotten*: a load that finds them without being told a value has an unknown one. That is kept
// in a second table, which exists from the first forgotten byte on; without it every byte is known.
// It has a stamp for each byte: one that is not today's is a forgotten byte, so all are forgotten
// at once by going on to the next day.
//
// An evaluation of a short time costs the pages it touches only.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

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
  bool all_known() const { return !stamps_; }

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

  bool known(uint64_t address, unsigned bytes) const { return place_known(address & kMask, bytes); }
  // The same for a place, which is no address: it may lie past the end.
  bool place_known(size_t place, unsigned bytes) const {
    if (all_known()) return true;
    const uint16_t* at = stamps() + place;
    return std::all_of(at, at + bytes, [this](uint16_t stamp) { return stamp == today_; });
  }
  void remember(uint64_t address, unsigned bytes) { remember_place(address & kMask, bytes); }
  void remember_place(size_t place, uint64_t bytes) {
    if (!all_known() && !blind_) std::fill_n(stamps() + place, bytes, today_);
  }
  void forget(uint64_t address, unsigned bytes) { forget_place(address & kMask, bytes); }
  void forget_place(size_t place, uint64_t bytes) {
    begin_stamps();
    std::fill_n(stamps() + place, bytes, kNever);
  }
  void set_bytes(size_t place, std::span<const uint8_t> bytes) {
    std::ranges::copy(bytes, bytes_.data() + place);
    if (!all_known()) std::fill_n(stamps() + place, bytes.size(), today_);
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
        std::memmove(stamps() + there, stamps() + here, count * sizeof(uint16_t));
    }
  }
  void fill(uint64_t to, uint8_t value, uint64_t bytes) {
    each_piece(to, bytes, [&](uint64_t at, uint64_t count) {
      std::memset(bytes_.data() + at, value, count);
      remember_place(at, count);
    });
  }
  void forget_range(uint64_t to, uint64_t bytes) {
    each_piece(to, bytes, [&](uint64_t at, uint64_t count) { forget_place(at, count); });
  }
  void reset() {
    bytes_.clear();
    stamps_.reset();
    today_ = 0;
    blind_ = false;
  }
  void forget_all() {
    begin_stamps();
    if (++today_ < kNever) return;
    stamps_->clear();
    today_ = 1;
  }
  // Nothing is told of this thread: what it reads next is never known, whatever it stored.
  void go_blind() {
    forget_all();
    blind_ = true;
  }

 private:
  static constexpr uint16_t kNever = UINT16_MAX;  // no day
  void begin_stamps() {
    if (all_known()) stamps_.emplace(kSize * sizeof(uint16_t));  // on day 0: all are known
  }
  uint16_t* stamps() { return reinterpret_cast<uint16_t*>(stamps_->data()); }
  const uint16_t* stamps() const { return reinterpret_cast<const uint16_t*>(stamps_->data()); }

  ZeroPages bytes_;
  std::optional<ZeroPages> stamps_;  // by byte: the day on which it was known
  uint16_t today_ = 0;
  bool blind_ = false;
};

}  // namespace vestige
