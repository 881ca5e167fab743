// Two ways to do the same, of which sometimes the one and sometimes the other is faster: takes the
// one that was faster lately, and tries the other now and then.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace vestige {

class AdaptiveChoice {
 public:
  // Which way to take for what comes now.
  bool begin() {
    const bool faster = cost_[1] <= cost_[0];
    way_ = ++taken_ % kBetweenTries == 0 ? !faster : faster;
    if (taken_ <= 2) way_ = taken_ == 1;
    begun_ = Clock::now();
    return way_;
  }
  // It is done, and was so much.
  void end(size_t amount) {
    if (amount < kLeast) return;
    const std::chrono::duration<double> spent = Clock::now() - begun_;
    // Whoever was interrupted was slow for another reason; one that became slow is noticed soon.
    double& cost = cost_[way_];
    const double now = spent.count() / static_cast<double>(amount);
    cost = cost == 0 ? now : std::min(now, 1.25 * cost);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr unsigned kBetweenTries = 16;
  static constexpr size_t kLeast = 1024;
  double cost_[2] = {0, 0};  // seconds for one; 0: not known
  unsigned taken_ = 0;
  bool way_ = false;
  Clock::time_point begun_;
};

}  // namespace vestige
