// Which life of its memory an address is in: memory that is handed out anew holds other objects.
#pragma once

#include <cstdint>
#include <map>

namespace vestige::threads {

// Memory: an entry for each end of a block that was handed out, where blocks differ.
class Lives {
 public:
  // From `first` up to `end` without it.
  void begin(uint64_t first, uint64_t end) {
    if (first >= end) return;
    const uint64_t behind = at(end);
    lives_.erase(lives_.lower_bound(first), lives_.lower_bound(end));
    lives_[first] = ++number_;
    lives_.try_emplace(end, behind);
  }
  // 0: what was there in the beginning.
  uint64_t at(uint64_t address) const {
    const auto behind = lives_.upper_bound(address);
    return behind == lives_.begin() ? 0 : std::prev(behind)->second;
  }

 private:
  std::map<uint64_t, uint64_t> lives_;  // from this address on
  uint64_t number_ = 0;
};

}  // namespace vestige::threads
