// Which bytes of the shadow a window of time reads before it writes them, and what they were: all
// that the window needs of the shadow before it.
//
// A bit per byte says whether the window has touched it. The first touch of a byte, when it is a
// read, keeps the byte: it is still what it was when the window began.
//
// One owner thread. Memory: 20 MiB.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "trace/eval/shadow.h"

namespace vestige {

class FirstTouches {
 public:
  FirstTouches() : touched_(kMapBytes), kept_(kMapBytes), bytes_(Shadow::kSize) {}

  void clear() {
    std::memset(touched_.data(), 0, touched_.size());
    std::memset(kept_.data(), 0, kept_.size());
    all_touched_ = false;
  }
  // From here on the window needs nothing of before.
  void touch_all() {
    if (!all_touched_) std::memset(touched_.data(), 0xff, touched_.size());
    all_touched_ = true;
  }

  bool touched(uint64_t address, unsigned bytes) const {
    return (marks(address) & wanted(address, bytes)) == wanted(address, bytes);
  }
  // To be called before the read. At most 8 bytes.
  void read(uint64_t address, unsigned bytes, const Shadow& shadow) {
    read_at(address & Shadow::kMask, bytes, shadow);
  }
  void write(uint64_t address, unsigned bytes) { write_at(address & Shadow::kMask, bytes); }
  // The same for pieces of memory intrinsics: places, which may lie past the shadow's end.
  void read_range(size_t place, uint64_t bytes, const Shadow& shadow);
  void write_range(size_t place, uint64_t bytes);
  // A value is told where `held` is. Whether that was needless must be found out again; when bytes
  // that were not touched before make no difference, the window does without them (as zeros).
  void read_told(uint64_t address, unsigned bytes, uint64_t held, uint64_t told,
                 const Shadow& shadow) {
    tell_at(address & Shadow::kMask, bytes, held, told, shadow);
  }
  void tell_at(size_t place, unsigned bytes, uint64_t held, uint64_t told, const Shadow& shadow);

  struct Run {
    uint32_t at = 0, size = 0;
    bool operator==(const Run&) const = default;
  };
  // The bytes that were kept, by rising place.
  void collect(std::vector<Run>& runs, std::vector<uint8_t>& bytes) const;

 private:
  static constexpr size_t kMapBytes = (Shadow::kSize / 64 + 2) * 8;
  void read_at(size_t place, unsigned bytes, const Shadow& shadow);
  void write_at(size_t place, unsigned bytes) {
    const uint16_t now = marks_at(place) | wanted(place, bytes);
    std::memcpy(touched_.data() + (place >> 3), &now, sizeof now);
  }
  static uint16_t wanted(uint64_t address, unsigned bytes) {
    return static_cast<uint16_t>(((1u << bytes) - 1) << (address & 7));
  }
  uint16_t marks_at(size_t place) const {
    uint16_t marks;
    std::memcpy(&marks, touched_.data() + (place >> 3), sizeof marks);
    return marks;
  }
  uint16_t marks(uint64_t address) const { return marks_at(address & Shadow::kMask); }

  std::vector<uint8_t> touched_, kept_;  // a bit per byte
  ZeroPages bytes_;                      // where kept_ says so
  bool all_touched_ = false;
};

}  // namespace vestige
