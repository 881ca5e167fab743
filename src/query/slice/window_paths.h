// One window of a thread in memory: its paths, and the memory references of each.
//
// One owner thread.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "query/row_source.h"
#include "query/slice/path_steps.h"
#include "query/transfer_source.h"

namespace vestige {

class WindowPaths final : public EvaluationObserver {
 public:
  // All must outlive it. Not movable: the evaluator points to it.
  WindowPaths(const Trace& trace, const Windows& windows, uint32_t thread, PathSteps& steps);

  // Paths of the window up to this time, from the position at its beginning.
  Result<void> load(size_t window, PathSteps::Position position, uint64_t last_time);

  size_t size() const { return steps_.size(); }
  const PathStep& step(size_t number) const { return steps_[number]; }
  // In the order executed, each with its length when that is known. Of each statement of the path
  // that refers to memory there is one at most.
  std::span<const Observation> rows(size_t number) const {
    return std::span(rows_).subspan(first_row_[number],
                                    first_row_[number + 1] - first_row_[number]);
  }

  // What the call that the path goes on behind is known to have read and written.
  std::span<const Transfer> transfers(size_t number) const {
    const auto [first, last] =
        std::ranges::equal_range(transfers_, steps_[number].time, {}, &Transfer::time);
    return {first, last};
  }

  void transfer(const Transfer& transfer) override {
    if (transfer.time <= last_time_) transfers_.push_back(transfer);
  }
  void see(const Observation& row) override {
    if (row.time <= last_time_) rows_.push_back(row);
  }

 private:
  Result<void> evaluate(size_t window);
  Result<void> read_transfers(size_t window);

  const Trace& trace_;
  const Windows& windows_;
  const uint32_t thread_;
  PathSteps& path_steps_;
  const StatementSet set_;
  std::vector<uint32_t> bytes_;  // by statement id: what it refers to
  std::optional<WindowEvaluation> evaluation_;
  uint64_t last_time_ = 0;
  std::vector<PathStep> steps_;
  std::vector<Observation> rows_;
  std::vector<Transfer> transfers_;
  TransferSource late_transfers_;  // where rows come late
  std::vector<size_t> first_row_;  // by path, and one more
};

}  // namespace vestige
