// A map in one array: open addressing with linear probing, at most half full. Much smaller and
// faster than std::unordered_map where keys are few bytes and looked up all the time.
//
// A slot whose value is kFree is free, so no key has that value. Nothing is removed but by
// renumber(). References and iteration end at the next at() of a new key.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace vestige {

// Any bit of the number changes bits on both ends of the hash.
inline uint64_t hash_of_number(uint64_t number) {
  const uint64_t hash = number * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

// A pair of numbers as one key.
inline uint64_t pair_key(uint32_t a, uint32_t b) { return uint64_t{a} << 32 | b; }

template <class Key, class Value, Value kFreeValue, auto kHash = hash_of_number>
class OpenMap {
 public:
  static constexpr Value kFree = kFreeValue;

  // What `key` has; when it is new, it gets `fresh`.
  Value& at(const Key& key, Value fresh) {
    if (2 * (used_ + 1) > slots_.size()) resize(std::max<size_t>(64, 2 * slots_.size()));
    Slot& slot = slots_[place(key)];
    if (slot.value == kFree) {
      slot = {key, fresh};
      ++used_;
    }
    return slot.value;
  }
  // kFree: it has none.
  Value get(const Key& key) const { return slots_.empty() ? kFree : slots_[place(key)].value; }
  size_t size() const { return used_; }

  // visit(key, value) for every key, in no order.
  template <class Visit>
  void each(const Visit& visit) const {
    for (const Slot& slot : slots_)
      if (slot.value != kFree) visit(slot.key, slot.value);
  }
  // Gives every key another value; where that is kFree the key goes.
  template <class NewValue>
  void renumber(const NewValue& new_value) {
    used_ = 0;
    for (Slot& slot : slots_) {
      if (slot.value != kFree) slot.value = new_value(slot.value);
      used_ += slot.value != kFree;
    }
    size_t size = 64;
    while (size < 2 * (used_ + 1)) size *= 2;
    resize(size);
  }

 private:
  struct Slot {
    Key key{};
    Value value = kFree;
  };
  size_t place(const Key& key) const {
    const size_t mask = slots_.size() - 1;
    size_t at = static_cast<size_t>(kHash(key)) & mask;
    while (slots_[at].value != kFree && !(slots_[at].key == key)) at = (at + 1) & mask;
    return at;
  }
  void resize(size_t size) {
    std::vector<Slot> old(size);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.value != kFree) slots_[place(slot.key)] = slot;
  }
  std::vector<Slot> slots_;  // a power of two of them, or none
  size_t used_ = 0;
};

// From numbers, or pairs of them, to small numbers.
using NumberMap = OpenMap<uint64_t, uint32_t, UINT32_MAX>;

}  // namespace vestige
