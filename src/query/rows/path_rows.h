// The rows of a thread, path by path, and what library functions did before a path went on behind a
// call.
//
// One owner thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "query/rows/row_source.h"

namespace vestige {

class PathRows {
 public:
  PathRows() = default;
  PathRows(const PathRows&) = delete;  // its source writes to it
  PathRows& operator=(const PathRows&) = delete;

  // Call it once. What is given must outlive it.
  Result<void> open(const Trace& trace, const Windows& windows, const StatementSet& set,
                    uint32_t thread);
  // Of the path of a time. Times rise, and of each the transfers are asked for first. What is given
  // is good until the next question.
  Result<std::span<const Transfer>> transfers(uint64_t time);
  Result<std::span<const Observation>> of(uint64_t time);

 private:
  Result<void> read_behind(uint64_t time);

  std::unique_ptr<RowSource> source_;
  std::vector<Observation> rows_;
  std::vector<Transfer> transfers_;
  size_t at_ = 0;
  bool more_ = true;
};

}  // namespace vestige
