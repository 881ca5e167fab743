#include "codec/pack/dictionary.h"

#include <algorithm>
#include <bit>

namespace vestige {

namespace {

// Open addressing, at most half full, from a value to the number (from 1) of its place in a list.
// The list may grow meanwhile.
class PlaceOfValue {
 public:
  explicit PlaceOfValue(size_t entries)
      : slots_(std::bit_ceil(entries * 2 + 2)),
        shift_(64 - static_cast<unsigned>(std::countr_zero(slots_.size()))) {}

  uint32_t& of(uint64_t value, std::span<const uint64_t> list) {
    size_t at = value * 0x9e3779b97f4a7c15 >> shift_;
    while (slots_[at] != 0 && list[slots_[at] - 1] != value) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  size_t size() const { return slots_.size(); }

 private:
  std::vector<uint32_t> slots_;
  unsigned shift_;
};

}  // namespace

std::vector<uint64_t> distinct_values(std::span<const uint64_t> values) {
  // Most lists have few distinct values, so the table starts small.
  std::vector<uint64_t> found;
  PlaceOfValue places(256);
  for (const uint64_t value : values) {
    uint32_t& place = places.of(value, found);
    if (place != 0) continue;
    found.push_back(value);
    place = static_cast<uint32_t>(found.size());
    if (found.size() * 2 <= places.size()) continue;
    places = PlaceOfValue(found.size() * 4);
    for (size_t i = 0; i < found.size(); ++i)
      places.of(found[i], found) = static_cast<uint32_t>(i + 1);
  }
  std::ranges::sort(found);
  return found;
}

std::vector<uint64_t> dictionary_indices(std::span<const uint64_t> values,
                                         std::span<const uint64_t> sorted) {
  PlaceOfValue places(sorted.size());
  for (size_t i = 0; i < sorted.size(); ++i)
    places.of(sorted[i], sorted) = static_cast<uint32_t>(i + 1);
  std::vector<uint64_t> out(values.size());
  for (size_t i = 0; i < values.size(); ++i) out[i] = places.of(values[i], sorted) - 1;
  return out;
}

}  // namespace vestige
