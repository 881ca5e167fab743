#include "trace/eval/first_touches.h"

#include <algorithm>
#include <bit>

namespace vestige {

void FirstTouches::read_range(size_t place, uint64_t bytes, const Shadow& shadow) {
  for (uint64_t at = 0; at < bytes; at += 8)
    read_at(place + at, static_cast<unsigned>(std::min<uint64_t>(8, bytes - at)), shadow);
}

void FirstTouches::write_range(size_t place, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes; at += 8)
    write_at(place + at, static_cast<unsigned>(std::min<uint64_t>(8, bytes - at)));
}

void FirstTouches::read_at(size_t place, unsigned bytes, const Shadow& shadow) {
  const auto fresh = static_cast<uint16_t>(wanted(place, bytes) & ~marks_at(place));
  if (fresh == 0) return;
  write_at(place, bytes);
  for (unsigned i = 0; i < bytes; ++i) {
    if (!(fresh >> ((place & 7) + i) & 1) || !shadow.place_known(place + i, 1)) continue;
    bytes_.data()[place + i] = shadow.bytes()[place + i];
    kept_[(place + i) >> 3] |= static_cast<uint8_t>(1u << ((place + i) & 7));
  }
}

void FirstTouches::tell_at(size_t place, unsigned bytes, uint64_t held, uint64_t told,
                           const Shadow& shadow) {
  uint64_t without = 0;  // what the window finds there when nothing is kept
  for (unsigned i = 0; i < bytes; ++i)
    if (marks_at(place) >> ((place & 7) + i) & 1) without |= held & (uint64_t{0xff} << (8 * i));
  if (shadow.all_known() && (without == told) == (held == told))
    write_at(place, bytes);
  else
    read_at(place, bytes, shadow);
}

void FirstTouches::collect(std::vector<Run>& runs, std::vector<uint8_t>& bytes) const {
  for (size_t at = 0; at < kept_.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, kept_.data() + at, sizeof word);
    while (word != 0) {
      const int first = std::countr_zero(word);
      const int size = std::countr_one(word >> first);
      const auto place = static_cast<uint32_t>(8 * at + static_cast<size_t>(first));
      if (!runs.empty() && runs.back().at + runs.back().size == place)
        runs.back().size += static_cast<uint32_t>(size);
      else
        runs.push_back({place, static_cast<uint32_t>(size)});
      bytes.insert(bytes.end(), bytes_.data() + place, bytes_.data() + place + size);
      word = first + size == 64 ? 0 : word >> (first + size) << (first + size);
    }
  }
}

}  // namespace vestige
