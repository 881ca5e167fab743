// Numbers for things met again and again: values, runs of a symbol, runs of differences. Each is
// numbered from 0 in order of first use and never forgotten.
#pragma once

#include <cstdint>

#include "codec/sequitur/pool.h"
#include "codec/sequitur/symbol.h"

namespace vestige::sequitur {

// What to hash of an item: where items differ, these differ, if only in high bits.
inline uint64_t fold(uint64_t value) { return value; }
inline uint64_t fold(const Run& run) {
  return run.count ^ uint64_t { run.symbol } << 32;
}

// The items by number, and an open-addressed index of them: linear probing, at most four fifths
// full.
template <class Item>
class NumberTable {
 public:
  // The number of an equal item; `size()` when there is none.
  uint32_t find(const Item& item) const {
    if (items_.empty()) return 0;
    for (size_t at = home(item);; at = at + 1 == index_.size() ? 0 : at + 1) {
      const uint32_t number = index_[at];
      if (number == kFree) return size();
      if (items_[number] == item) return number;
    }
  }
  uint32_t add(const Item& item) {
    const uint32_t number = find(item);
    if (number < size()) return number;
    items_.push_back(item);
    if ((size_t{number} + 1) * 5 > index_.size() * 4)
      rebuild();
    else
      enter(number);
    return number;
  }
  const Item& operator[](uint32_t number) const { return items_[number]; }
  const Item* data() const { return items_.data(); }
  uint32_t size() const { return static_cast<uint32_t>(items_.size()); }
  size_t bytes() const { return items_.bytes() + index_.bytes(); }

 private:
  static constexpr uint32_t kFree = ~uint32_t{0};
  size_t home(const Item& item) const {
    uint64_t h = fold(item);
    h ^= h >> 32;
    return (((h * 0x9e3779b97f4a7c15) >> 32) * index_.size()) >> 32;
  }
  void enter(uint32_t number) {
    size_t at = home(items_[number]);
    while (index_[at] != kFree) at = at + 1 == index_.size() ? 0 : at + 1;
    index_[at] = number;
  }
  void rebuild() {
    index_.release();
    index_.resize(items_.size() + items_.size() * 3 / 4 + 8);
    std::memset(index_.data(), 0xff, index_.size() * sizeof(uint32_t));
    for (uint32_t i = 0; i < items_.size(); ++i) enter(i);
  }
  Pool<Item> items_;
  Pool<uint32_t> index_;
};

}  // namespace vestige::sequitur
