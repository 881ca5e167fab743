// The two clocks of a thread: `time` counts recorded paths and is the trace's, `target time` counts
// all of them and is the one the program's own marks are in. They differ by what filters,
// --start/--stop and unregistered code left out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace vestige {

class ThreadClock {
 public:
  // Both clocks' readings at one moment; moments come in order.
  void note(uint64_t target_time, uint64_t time) {
    if (samples_.empty() ? target_time == time : samples_.back().first == target_time) return;
    samples_.emplace_back(target_time, time);
  }
  // The recorded time at which the thread had completed `target_time` paths: exact where the clocks
  // never parted, else to within the paths between two moments noted.
  uint64_t time_at(uint64_t target_time) const {
    const auto above =
        std::upper_bound(samples_.begin(), samples_.end(), target_time,
                         [](uint64_t t, const auto& sample) { return t < sample.first; });
    const uint64_t limit = above == samples_.end() ? UINT64_MAX : above->second;
    if (above == samples_.begin()) return std::min(target_time, limit);
    const auto& [target, time] = *(above - 1);
    return std::min(time + (target_time - target), limit);
  }

 private:
  std::vector<std::pair<uint64_t, uint64_t>> samples_;  // (target time, time), once they differ
};

}  // namespace vestige
