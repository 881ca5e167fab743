// How often addresses follow each other at which distance, and how many statements run meanwhile:
// what a prefetch distance is made of.
#pragma once

#include <cstdint>
#include <map>

#include "vestige/values.h"

namespace vestige {

class StrideCounts {
 public:
  // So many times at this distance, with so many statements executed from the first access to the
  // last. Of a load or store only the first kMost distances are counted.
  void add(int64_t stride, uint64_t times, uint64_t statements) {
    auto found = strides_.find(stride);
    if (found == strides_.end()) {
      if (strides_.size() == kMost) return;
      found = strides_.emplace(stride, Uses{}).first;
    }
    found->second.times += times;
    found->second.statements += statements;
  }

  struct MostFrequent {
    int64_t stride = 0;
    uint64_t times = 0;  // 0: no access is one of a run
    double statements_between = 0;
    uint64_t prefetch_distance = 0;
  };
  // The smallest one of equals.
  MostFrequent most_frequent() const {
    MostFrequent most;
    for (const auto& [stride, uses] : strides_) {
      if (uses.times <= most.times) continue;
      most = {stride, uses.times,
              static_cast<double>(uses.statements) / static_cast<double>(uses.times), 0};
    }
    if (most.times != 0)
      most.prefetch_distance = prefetch_distance(most.stride, most.statements_between);
    return most;
  }

 private:
  static constexpr size_t kMost = 64;
  struct Uses {
    uint64_t times = 0, statements = 0;
  };
  std::map<int64_t, Uses> strides_;
};

}  // namespace vestige
