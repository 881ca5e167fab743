// From numbers (lines, statements) to small numbers: a table with open addressing. Nothing is ever
// removed.
#pragma once

#include <cstdint>
#include <vector>

namespace vestige {

class NumberMap {
 public:
  static constexpr size_t kMost = size_t{1}
                                  << 27;  // keys that its users put in: 8 GiB at 64 bytes a line

  // What `key` has; when it is new, it gets `next`.
  uint32_t& at(uint64_t key, uint32_t next) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[place(key)];
    if (slot.value == kFree) {
      slot = {key, next};
      ++used_;
    }
    return slot.value;
  }
  // Nothing: it has none.
  const uint32_t* find(uint64_t key) const {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[place(key)];
    return slot.value == kFree ? nullptr : &slot.value;
  }
  size_t size() const { return used_; }

 private:
  static constexpr uint32_t kFree = UINT32_MAX;
  struct Slot {
    uint64_t key = 0;
    uint32_t value = kFree;
  };
  size_t place(uint64_t key) const {
    size_t at = static_cast<size_t>(key * 0x9e3779b97f4a7c15 >> 20) & (slots_.size() - 1);
    while (slots_[at].value != kFree && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.value != kFree) slots_[place(slot.key)] = slot;
  }
  std::vector<Slot> slots_;  // a power of two of them
  size_t used_ = 0;
};

}  // namespace vestige
