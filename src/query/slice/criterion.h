// Finds the execution that a slice is about, and on the way where every window of its thread
// begins.
#pragma once

#include "query/slice/path_steps.h"
#include "trace/windows.h"
#include "vestige/slice.h"

namespace vestige {

struct CriterionPlace {
  uint32_t thread = 0;
  uint64_t instance = 0;
  uint64_t time = 0;
  // When it is a call that came back: the path that went on behind it. Otherwise `time`.
  uint64_t known_at = 0;
  PositionTrail windows;  // before the first path of each, as far as was looked
};

// ErrorKind::missing when there is no such execution.
Result<CriterionPlace> find_criterion(const Trace& trace, const Windows& windows,
                                      const CallNames& names, const SliceOptions& options);

// The window that the path of this time is in.
size_t window_at(const Windows& windows, uint32_t thread, uint64_t time);

}  // namespace vestige
