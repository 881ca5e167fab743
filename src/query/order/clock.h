// Vector clocks: how much of each thread's execution is known to have happened.
//
// A thread's own part counts the operations by which it gave something away. A clock that lacks
// parts at its end has zeros there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace vestige::races {

class Clock {
 public:
  uint32_t of(uint32_t thread) const { return thread < parts_.size() ? parts_[thread] : 0; }
  void set(uint32_t thread, uint32_t part) {
    if (thread >= parts_.size()) parts_.resize(thread + 1);
    parts_[thread] = part;
  }
  // Whether that changed anything.
  bool join(const Clock& other) {
    if (parts_.size() < other.parts_.size()) parts_.resize(other.parts_.size());
    bool changed = false;
    for (size_t i = 0; i < other.parts_.size(); ++i) {
      if (other.parts_[i] <= parts_[i]) continue;
      parts_[i] = other.parts_[i];
      changed = true;
    }
    return changed;
  }
  void clear() { parts_.clear(); }

 private:
  std::vector<uint32_t> parts_;
};

}  // namespace vestige::races
