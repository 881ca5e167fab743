// Random executions of a trace, the same in every run, and what benchmarks of slices count time by.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <random>
#include <vector>

#include "vestige/slice.h"

namespace vestige {

// Of all threads.
inline double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Of thread 0, all equally likely.
class Criteria {
 public:
  Criteria(const Trace& trace, uint64_t seed) : random_(seed) {
    const auto profile = trace.profile(0);
    if (!profile) return;
    for (uint32_t f = 0; f < profile->size(); ++f)
      for (uint32_t s = 0; s < (*profile)[f].statements.size(); ++s)
        if (const uint64_t count = (*profile)[f].statements[s]) {
          total_ += count;
          statements_.push_back({f, s});
          ends_.push_back(total_);
        }
  }
  SliceOptions next() {
    const uint64_t number = random_() % total_;
    const auto at = static_cast<size_t>(std::ranges::upper_bound(ends_, number) - ends_.begin());
    SliceOptions options;
    options.statement = statements_[at];
    options.instance = number - (at == 0 ? 0 : ends_[at - 1]) + 1;
    options.thread = 0;
    return options;
  }

 private:
  std::mt19937_64 random_;
  std::vector<StatementRef> statements_;
  std::vector<uint64_t> ends_;
  uint64_t total_ = 0;
};

}  // namespace vestige
