// The plain twin of fcm_walk.h: Figure 5 of "Whole Execution Traces" word by word, on an explicit
// state: lists of entries, the window, the tables as maps from slot to number.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "codec/stream/bidirectional/fcm_walk.h"

namespace vestige {

struct PaperEntry {
  bool hit = true;
  uint64_t displaced = 0;  // of a miss
  bool operator==(const PaperEntry&) const = default;
};

class PaperFcm {
 public:
  // Compresses all numbers into BL, from the end, with tables of so many slots.
  PaperFcm(std::span<const uint64_t> numbers, unsigned order, size_t left_slots, size_t right_slots)
      : order_(order), left_slots_(left_slots), right_slots_(right_slots) {
    std::deque<uint64_t> window(order, 0);
    std::vector<size_t> slot_before(numbers.size());
    for (size_t i = 0; i < numbers.size(); ++i) {
      slot_before[i] = left_slot(window);
      // Primed: a slot begins (at the end of the stream) with the number of its last use.
      left[slot_before[i]] = numbers[i];
      window.push_back(numbers[i]);
      window.pop_front();
    }
    for (size_t i = numbers.size(); i-- > 0;)
      bl.push_front(compress(left, slot_before[i], numbers[i]));
    u.assign(order, 0);
  }

  void forward() {
    const PaperEntry entry = bl.front();
    bl.pop_front();
    const size_t index = left_slot(u);
    const uint64_t number = left[index];
    if (!entry.hit) left[index] = entry.displaced;
    const uint64_t leaving = u.front();
    u.pop_front();
    u.push_back(number);
    fr.push_back(compress(right, right_slot(u), leaving));
  }
  void backward() {
    const PaperEntry entry = fr.back();
    fr.pop_back();
    const size_t index = right_slot(u);
    const uint64_t number = right[index];
    if (!entry.hit) right[index] = entry.displaced;
    const uint64_t leaving = u.back();
    u.pop_back();
    u.push_front(number);
    bl.push_front(compress(left, left_slot(u), leaving));
  }

  size_t left_slot(const std::deque<uint64_t>& window) const { return slot(window, left_slots_); }
  size_t right_slot(const std::deque<uint64_t>& window) const { return slot(window, right_slots_); }

  std::deque<PaperEntry> fr, bl;
  std::deque<uint64_t> u;                  // oldest first
  std::map<size_t, uint64_t> left, right;  // BLTB, FRTB; an absent slot holds 0

 private:
  size_t slot(const std::deque<uint64_t>& window, size_t slots) const {
    uint64_t sum = 0;
    for (unsigned k = 0; k < order_; ++k) sum += window[order_ - 1 - k] * fcm::kFactors[k];
    size_t bits = 0;
    while ((size_t{1} << bits) < slots) ++bits;
    return sum >> (64 - bits);
  }
  static PaperEntry compress(std::map<size_t, uint64_t>& table, size_t index, uint64_t number) {
    uint64_t& held = table[index];
    if (held == number) return {};
    const PaperEntry entry{false, held};
    held = number;
    return entry;
  }
  unsigned order_;
  size_t left_slots_, right_slots_;
};

}  // namespace vestige
