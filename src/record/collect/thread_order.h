// Threads are numbered in the order in which the program made them, not in which they began to run:
// a program has the same thread numbers in any schedule. So a thread that runs already waits, its
// ring undrained, for those that were made before it. Not for ever: a thread may never begin.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace vestige {

// Of one process.
class ThreadOrder {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kLongestWait{2};

  // Whether the thread that was made as the how-manyth, from 1, opens now.
  bool opens(uint32_t made) {
    if (made > next_) return false;
    if (made == next_) {
      ++next_;
      since_.reset();
    }
    return true;
  }
  // `made` is the first of those that wait. Whether it is time to go on with it.
  bool skips_to(uint32_t made, Clock::time_point now) {
    if (!since_) since_ = now;
    if (!ended_ && now - *since_ < kLongestWait) return false;
    next_ = made;
    return true;
  }
  // The process is gone: no more threads will begin.
  void end() { ended_ = true; }

 private:
  uint32_t next_ = 1;
  std::optional<Clock::time_point> since_;  // when one began to wait
  bool ended_ = false;
};

}  // namespace vestige
