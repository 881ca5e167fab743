// The values and addresses of a thread's paths, for a walk.
//
// Forwards they are read as they come. Backwards, pieces of kBackPaths paths are evaluated, each
// from the beginning of its window, and kept while the walk goes through them.
//
// One owner thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "query/rows/row_source.h"

namespace vestige {

class WalkValues {
 public:
  // Null when nothing was recorded of the thread. The trace must outlive it.
  static Result<std::unique_ptr<WalkValues>> open(const Trace& trace, uint32_t thread, bool back);

  // What the path executed that has a value or an address, in order; valid until the next call.
  // Times rise, or fall when going back.
  Result<std::span<const Observation>> of(uint64_t time);

 private:
  static constexpr uint64_t kBackPaths = 1 << 14;
  WalkValues(const Trace& trace, Windows windows, uint32_t thread, bool back);
  size_t window_of(uint64_t time) const;
  Result<void> load_back(uint64_t time);
  Result<void> load_forwards(uint64_t time);

  const Trace& trace_;
  const Windows windows_;
  const uint32_t thread_;
  const bool back_;
  const StatementSet set_;
  std::unique_ptr<RowSource> source_;  // forwards
  bool ended_ = false;
  std::vector<Observation> rows_;
  uint64_t first_time_ = 0, last_time_ = 0;  // that rows_ covers, backwards
};

}  // namespace vestige
