// The lines that a reference touches, and for how many iterations they stay the same.
#pragma once

#include <algorithm>
#include <cstdint>

#include "vestige/cache_model.h"

namespace vestige {

// Different lines that a model takes: 8 GiB at 64 bytes a line.
constexpr size_t kMostLines = size_t{1} << 27;

struct LineSpan {
  uint64_t first = 0, last = 0;
  LineSpan(uint64_t address, uint64_t bytes, unsigned shift)
      : first(address >> shift), last((address + (bytes > 0 ? bytes - 1 : 0)) >> shift) {
    if (last < first) last = first;  // would go round the end of memory
  }
};

// How many iterations behind the one where the reference is at `address` touch the same lines.
inline uint64_t same_lines(uint64_t address, uint64_t bytes, uint64_t step, unsigned shift) {
  if (step == 0) return UINT64_MAX;
  const uint64_t end = address + (bytes > 0 ? bytes - 1 : 0);
  if (end < address) return 0;
  const uint64_t within = (uint64_t{1} << shift) - 1;
  if (static_cast<int64_t>(step) > 0) {
    const uint64_t room = within - std::max(address & within, end & within);
    return room / step;
  }
  return std::min(address & within, end & within) / (~step + 1);
}

// Iterations behind this one in which no reference of a run comes to other lines.
inline uint64_t same_lines(const ReferenceRun& run, std::span<const uint64_t> addresses,
                           unsigned shift) {
  uint64_t least = UINT64_MAX;
  for (size_t i = 0; i < addresses.size() && least > 0; ++i)
    least = std::min(least, same_lines(addresses[i], run.body[i].bytes, run.steps[i], shift));
  return least;
}

}  // namespace vestige
