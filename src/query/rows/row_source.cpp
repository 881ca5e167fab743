#include "query/rows/row_source.h"

#include <algorithm>
#include <deque>
#include <map>

#include "query/rows/path_follower.h"

namespace vestige {

namespace {

// Enough for one evaluation to be worth it, few enough to answer soon.
constexpr size_t kSomeRows = 1 << 12;
constexpr uint64_t kSomePaths = 16;
constexpr size_t kFewFunctions = 16;

class PromptRows final : public RowSource, public EvaluationObserver {
 public:
  PromptRows(const Windows& windows, const StatementSet& set, const RowRange& range)
      : windows_(windows), set_(set), range_(range), next_window_(range.first_window) {}

  Result<bool> read(std::vector<Observation>& rows) override {
    rows_ = &rows;
    const size_t before = rows.size();
    // At first one row: it may be all that is wanted.
    while (rows.size() - before < wanted_) {
      if (!inside_) {
        const auto opened = open_window();
        if (!opened) return std::unexpected(opened.error());
        if (!*opened) break;
      }
      const auto paths = evaluation_->run(kSomePaths);
      if (!paths) return std::unexpected(paths.error());
      inside_ = *paths > 0 && evaluation_->evaluator().time() < range_.last_time;
    }
    wanted_ = kSomeRows;
    return rows.size() > before;
  }

  void see(const Observation& row) override {
    if (row.time < range_.first_time || row.time > range_.last_time) return;
    rows_->push_back(row);
  }
  void transfer(const Transfer& transfer) override {
    if (range_.transfers) range_.transfers->push_back(transfer);
  }
  bool wants_wide() const override { return true; }

 private:
  Result<bool> open_window() {
    const std::span<const Window> all = windows_.of(range_.thread);
    while (next_window_ < all.size() && all[next_window_].first_time <= range_.last_time) {
      const size_t window = next_window_++;
      if (!range_.transfers) {
        const auto matters = window_matters(windows_, set_, range_.thread, window);
        if (!matters) return std::unexpected(matters.error());
        if (!*matters) continue;
      }
      if (evaluation_) {
        if (auto gone = windows_.go_to(*evaluation_, window); !gone)
          return std::unexpected(std::move(gone.error()));
      } else {
        auto evaluation = windows_.begin(range_.thread, window);
        if (!evaluation) return std::unexpected(std::move(evaluation.error()));
        evaluation_.emplace(std::move(*evaluation));
        evaluation_->evaluator().observe_only(*this, set_.bits());
      }
      return inside_ = true;
    }
    return false;
  }

  const Windows& windows_;
  const StatementSet& set_;
  const RowRange range_;
  size_t next_window_;
  size_t wanted_ = 1;
  std::optional<WindowEvaluation> evaluation_;
  bool inside_ = false;  // of a window
  std::vector<Observation>* rows_ = nullptr;
};

// What becomes known late by more than `far` paths, found by running ahead.
class LateRows {
 public:
  LateRows(const Trace& trace, const Windows& windows, const StatementSet& set,
           const RowRange& range)
      : trace_(trace), windows_(windows), set_(set.late(trace)), range_(range) {}

  // Of the row of that time, when the reader who asks has come to path `now` in `window` and has
  // not found it. Nothing: it stays unknown. Rows are asked for by rising time.
  Result<std::optional<Observation>> find(uint64_t time, uint64_t now, size_t window) {
    if (!ahead_ || ahead_->time() < now) {
      auto begun = PathFollower::begin(trace_, windows_, set_, range_.thread, window);
      if (!begun) return std::unexpected(std::move(begun.error()));
      ahead_ = std::move(*begun);
      ended_ = false;
    }
    kept_.erase(kept_.begin(), kept_.lower_bound(time));
    while (!kept_.contains(time) && !ended_ && !beyond(time)) {
      const auto stepped = ahead_->step();
      if (!stepped) return std::unexpected(stepped.error());
      ended_ = !*stepped;
      for (const Observation& row : ahead_->settled())
        if (row.time >= time && ahead_->time() - row.time > range_.far && !beyond(row.time))
          kept_.emplace(row.time, row);
    }
    const auto found = kept_.find(time);
    if (found == kept_.end()) return std::nullopt;
    return found->second;
  }

 private:
  bool beyond(uint64_t time) const {
    return ahead_->time() > time && ahead_->time() - time > range_.horizon;
  }

  const Trace& trace_;
  const Windows& windows_;
  const StatementSet set_;
  const RowRange range_;
  std::unique_ptr<PathFollower> ahead_;
  bool ended_ = false;
  std::map<uint64_t, Observation> kept_;
};

class FollowedRows final : public RowSource {
 public:
  FollowedRows(const Trace& trace, const Windows& windows, const StatementSet& set,
               const RowRange& range, std::unique_ptr<PathFollower> follower)
      : range_(range), late_(trace, windows, set, range), follower_(std::move(follower)) {}

  Result<bool> read(std::vector<Observation>& rows) override {
    const size_t before = rows.size();
    const size_t wanted = std::exchange(wanted_, kSomeRows);
    while (true) {
      give_settled(rows);
      if (rows.size() - before >= wanted) break;
      // Behind the range only what waits matters.
      if (ended_ || (follower_->time() >= range_.last_time && held_.empty())) break;
      if (!held_.empty() && age() > range_.horizon) {
        give_up();
      } else if (held_.size() > range_.most_held && age() > range_.far) {
        if (auto found = look_up(); !found) return std::unexpected(std::move(found.error()));
      } else {
        if (auto stepped = step(); !stepped) return std::unexpected(std::move(stepped.error()));
      }
    }
    return rows.size() > before;
  }

 private:
  struct Held {
    Observation row;
    bool waits = false;
  };

  uint64_t age() const { return follower_->time() - held_.front().row.time; }

  void give_settled(std::vector<Observation>& rows) {
    while (!held_.empty() && !held_.front().waits) {
      rows.push_back(held_.front().row);
      held_.pop_front();
      ++given_;
    }
  }

  Result<void> step() {
    const auto stepped = follower_->step();
    if (!stepped) return std::unexpected(stepped.error());
    ended_ = !*stepped;
    for (const Observation& row : follower_->settled()) {
      const auto waiting = waiting_.find(row.time);
      if (waiting == waiting_.end()) continue;
      Held& held = held_[waiting->second - given_];
      if (follower_->time() - row.time <= range_.horizon) held.row = row;
      held.waits = false;
      waiting_.erase(waiting);
    }
    const uint64_t time = follower_->time();
    if (ended_ || time < range_.first_time || time > range_.last_time) return {};
    for (const Observation& row : follower_->rows()) held_.push_back({row, false});
    if (follower_->waits()) {
      held_.back().waits = true;
      waiting_.emplace(time, given_ + held_.size() - 1);
    }
    return {};
  }

  Result<void> look_up() {
    Held& held = held_.front();
    auto found = late_.find(held.row.time, follower_->time(), follower_->window());
    if (!found) return std::unexpected(std::move(found.error()));
    if (*found) held.row = **found;
    give_up();
    return {};
  }

  // The oldest row waits no longer.
  void give_up() {
    held_.front().waits = false;
    waiting_.erase(held_.front().row.time);
  }

  const RowRange range_;
  LateRows late_;
  std::unique_ptr<PathFollower> follower_;
  std::deque<Held> held_;
  uint64_t given_ = 0;                              // rows that have left held_
  std::unordered_map<uint64_t, uint64_t> waiting_;  // time to number of the row
  size_t wanted_ = 1;
  bool ended_ = false;
};

class NoRows final : public RowSource {
 public:
  Result<bool> read(std::vector<Observation>&) override { return false; }
};

}  // namespace

Result<bool> window_matters(const Windows& windows, const StatementSet& set, uint32_t thread,
                            size_t window) {
  if (windows.of(thread).size() == 1 || set.functions().size() > kFewFunctions) return true;
  for (const StatementSet::OfFunction& part : set.functions()) {
    const auto counts = windows.executions(thread, window, part.function, part.statements);
    if (!counts) return std::unexpected(counts.error());
    if (std::ranges::any_of(*counts, [](uint64_t count) { return count > 0; })) return true;
  }
  return false;
}

Result<std::unique_ptr<RowSource>> open_evaluated_rows(const Trace& trace, const Windows& windows,
                                                       const StatementSet& set,
                                                       const RowRange& range) {
  if (range.first_window >= windows.of(range.thread).size()) return std::make_unique<NoRows>();
  if (set.prompt()) return std::make_unique<PromptRows>(windows, set, range);
  auto follower =
      PathFollower::begin(trace, windows, set, range.thread, range.first_window, range.first_time);
  if (!follower) return std::unexpected(std::move(follower.error()));
  if (range.transfers) (*follower)->collect(*range.transfers);
  return std::make_unique<FollowedRows>(trace, windows, set, range, std::move(*follower));
}

}  // namespace vestige
