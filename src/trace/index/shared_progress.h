// What several workers have done together, told to whoever asked while they go on.
//
// Safe from several threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "vestige/index.h"

namespace vestige {

class SharedProgress {
 public:
  // `report` must outlive it.
  SharedProgress(const IndexProgress& report, uint64_t total) : report_(report), total_(total) {}
  void add(uint64_t paths) {
    done_ += paths;
    if (!report_) return;
    // Who comes while another tells has nothing to add.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock) report_(done_, total_);
  }

 private:
  const IndexProgress& report_;
  const uint64_t total_;
  std::atomic<uint64_t> done_{0};
  std::mutex mutex_;
};

}  // namespace vestige
