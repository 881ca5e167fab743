// Evaluates a thread path by path and says of each what it executed of a set of statements, and
// what became known of earlier ones.
//
// A path executes a statement, and the row for it exists, whether the evaluator shows the statement
// or not: rows follow the paths. The call stack is kept along, so it is known when nothing more
// will be heard of a call: its activation went on without a result, or is gone.
//
// One owner thread. Not movable: the evaluator points to it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "query/rows/statement_set.h"
#include "trace/eval/event_feed.h"
#include "trace/windows/windows.h"

namespace vestige {

class PathFollower final : public EvaluationObserver {
 public:
  // Before the first path of the window, or before the path of a later time in it. All must outlive
  // it.
  static Result<std::unique_ptr<PathFollower>> begin(const Trace& trace, const Windows& windows,
                                                     const StatementSet& set, uint32_t thread,
                                                     size_t window, uint64_t time = 0);

  // Evaluates the next path. False: there are no more; then settled() has what was still waited
  // for.
  Result<bool> step();
  uint64_t time() const { return time_; }  // of the path; before the first: one less
  size_t window() const { return window_; }
  // What the path executed of the set, in order.
  std::span<const Observation> rows() const { return rows_; }
  // The last of rows() is yet to be settled.
  bool waits() const { return waits_; }
  // Rows of earlier paths that waited, as they are now.
  std::span<const Observation> settled() const { return settled_; }

  // What calls of library functions do is appended there from here on; it must outlive the
  // follower.
  void collect(std::vector<Transfer>& transfers) { transfers_ = &transfers; }

  void see(const Observation& observation) override { seen_.push_back(observation); }
  void transfer(const Transfer& transfer) override {
    if (transfers_) transfers_->push_back(transfer);
  }
  bool wants_wide() const override { return true; }

 private:
  PathFollower(const Trace& trace, const Windows& windows, const StatementSet& set, uint32_t thread,
               size_t window, PathCursor cursor)
      : trace_(trace),
        windows_(windows),
        set_(set),
        thread_(thread),
        window_(window),
        cursor_(std::move(cursor)),
        events_(trace, thread) {}
  Result<void> skip_to(uint64_t time);
  Result<void> begin_at(uint64_t time);
  Result<void> apply_events(uint64_t before);
  // Valid until the next call.
  const PathStatements& statements_of(const Path& path);
  void collect(const Path& path);
  void settle(const Observation& waiting);
  void cut_back(size_t keep);

  const Trace& trace_;
  const Windows& windows_;
  const StatementSet& set_;
  const uint32_t thread_;
  size_t window_;
  std::optional<WindowEvaluation> evaluation_;
  PathCursor cursor_;
  EventFeed events_;
  bool started_ = false;
  uint64_t time_ = 0;
  // Per activation: the row it waits to settle; function kNone when it waits for none.
  std::vector<Observation> stack_;
  std::vector<Observation> seen_, rows_, settled_;
  bool waits_ = false;
  std::vector<Transfer>* transfers_ = nullptr;
  static constexpr uint64_t kMostKept = 4 << 20;        // numbers
  std::unordered_map<uint32_t, PathStatements> paths_;  // by path id
  uint64_t kept_ = 0;
};

}  // namespace vestige
