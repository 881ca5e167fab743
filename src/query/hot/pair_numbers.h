// Numbers for pairs of numbers: a hash table with open addressing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vestige {

class PairNumbers {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // `next` when the pair is new.
  uint32_t number(uint32_t a, uint32_t b, uint32_t next) {
    if (2 * (size_t{used_} + 1) > slots_.size()) resize(std::max<size_t>(64, 2 * slots_.size()));
    Slot& slot = slots_[slot_of(uint64_t{a} << 32 | b)];
    if (slot.number == kNone) {
      slot = {uint64_t{a} << 32 | b, next};
      ++used_;
    }
    return slot.number;
  }
  // kNone when there is no such pair.
  uint32_t known(uint32_t a, uint32_t b) const {
    return slots_.empty() ? kNone : slots_[slot_of(uint64_t{a} << 32 | b)].number;
  }
  // Pair n gets the number numbers[n]; where that is kNone it goes.
  void renumber(const std::vector<uint32_t>& numbers) {
    used_ = 0;
    for (Slot& slot : slots_) {
      if (slot.number != kNone) slot.number = numbers[slot.number];
      used_ += slot.number != kNone;
    }
    size_t size = 64;
    while (size < 2 * (size_t{used_} + 1)) size *= 2;
    resize(size);
  }

 private:
  struct Slot {
    uint64_t pair = 0;
    uint32_t number = kNone;
  };
  size_t slot_of(uint64_t pair) const {
    const size_t mask = slots_.size() - 1;
    size_t at = static_cast<size_t>(pair * 0x9e3779b97f4a7c15 >> 32) & mask;
    while (slots_[at].number != kNone && slots_[at].pair != pair) at = (at + 1) & mask;
    return at;
  }
  void resize(size_t size) {
    std::vector<Slot> old(size);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.number != kNone) slots_[slot_of(slot.pair)] = slot;
  }
  std::vector<Slot> slots_;
  uint32_t used_ = 0;
};

}  // namespace vestige
