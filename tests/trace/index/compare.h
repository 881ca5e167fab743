// Windows evaluated alone against the same windows of the full walk: the walk is the naive twin.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trace/windows/windows.h"

namespace vestige::windows_test {

struct Comparison {
  uint64_t windows = 0;       // of the trace
  uint64_t compared = 0;      // of them
  uint64_t observations = 0;  // in those
  uint64_t unknown = 0;       // of the observations: a value or address that is not known
  uint64_t problems = 0;
  std::string difference;  // empty: none
};

// Walks every thread with windows, and evaluates those windows alone that `wanted` picks, every
// other one on an evaluation that has been in another window before. Stops at the first difference.
Comparison compare_windows(const Trace& trace, const Windows& windows,
                           const std::function<bool()>& wanted);

}  // namespace vestige::windows_test
