#include "query/rows/path_follower.h"

namespace vestige {

namespace {
const Observation kWaitsForNone{.function = kNone};
}

Result<std::unique_ptr<PathFollower>> PathFollower::begin(const Trace& trace,
                                                          const Windows& windows,
                                                          const StatementSet& set, uint32_t thread,
                                                          size_t window, uint64_t time) {
  auto cursor = trace.walk(thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  std::unique_ptr<PathFollower> follower(
      new PathFollower(trace, windows, set, thread, window, std::move(*cursor)));
  auto evaluation = windows.begin(thread, window);
  if (!evaluation) return std::unexpected(std::move(evaluation.error()));
  follower->evaluation_.emplace(std::move(*evaluation));
  follower->time_ = windows.of(thread)[window].first_time - 1;
  if (time > windows.of(thread)[window].first_time) {
    if (auto skipped = follower->skip_to(time); !skipped)
      return std::unexpected(std::move(skipped.error()));
  }
  follower->evaluation_->evaluator().observe_only(*follower, set.bits());
  return follower;
}

// Evaluates what lies before the path of this time, unseen.
Result<void> PathFollower::skip_to(uint64_t time) {
  if (!cursor_.seek(time) || !cursor_.prev()) return {};
  const uint64_t before = cursor_.time();
  while (evaluation_->evaluator().time() < before) {
    const auto paths = evaluation_->run(1);
    if (!paths) return std::unexpected(paths.error());
    if (*paths == 0) break;
  }
  time_ = before;
  return {};
}

Result<bool> PathFollower::step() {
  seen_.clear();
  rows_.clear();
  settled_.clear();
  waits_ = false;
  while (true) {
    const auto paths = evaluation_->run(1);
    if (!paths) return std::unexpected(paths.error());
    if (*paths == 1) break;
    if (window_ + 1 >= windows_.of(thread_).size()) {
      cut_back(0);
      return false;
    }
    if (auto gone = windows_.go_to(*evaluation_, ++window_); !gone)
      return std::unexpected(std::move(gone.error()));
  }
  const uint64_t time = evaluation_->evaluator().time();
  if (!started_ || time != time_ + 1) {
    if (auto begun = begin_at(time); !begun) return std::unexpected(std::move(begun.error()));
  } else {
    if (!cursor_.next() && cursor_.error()) return std::unexpected(*cursor_.error());
    if (auto applied = apply_events(time); !applied)
      return std::unexpected(std::move(applied.error()));
  }
  time_ = time;
  collect(cursor_.path());
  return true;
}

// The first path, or the first one behind a hole.
Result<void> PathFollower::begin_at(uint64_t time) {
  if (!cursor_.seek(time)) {
    if (cursor_.error()) return std::unexpected(*cursor_.error());
    return fail(ErrorKind::corrupt, trace_.file() + ": thread " + std::to_string(thread_) +
                                        " has no path at time " + std::to_string(time));
  }
  auto stack = trace_.stack(thread_, time - 1);
  if (!stack) return std::unexpected(std::move(stack.error()));
  cut_back(0);
  for (const Trace::StackFrame& frame : *stack) {
    stack_.push_back(kWaitsForNone);
    const Path* path = frame.path == 0 ? nullptr : trace_.path(frame.path);
    if (!path) continue;
    const PathStatements& executed = statements_of(*path);
    if (executed.waits)
      stack_.back() = {
          .time = frame.time, .function = path->function, .statement = executed.statements.back()};
  }
  // The events up to here are in that stack.
  if (!std::exchange(started_, true)) {
    if (auto first = events_.advance(); !first) return first;
  }
  while (events_.next_time() < time) {
    if (auto next = events_.advance(); !next) return next;
  }
  return {};
}

Result<void> PathFollower::apply_events(uint64_t before) {
  while (events_.next_time() < before) {
    const Event& event = events_.next();
    if (event.kind == format::EventKind::resync) {
      cut_back(event.stack.keep);
      stack_.resize(stack_.size() + event.stack.frames.size(), kWaitsForNone);
    }
    if (auto next = events_.advance(); !next) return next;
  }
  return {};
}

const PathStatements& PathFollower::statements_of(const Path& path) {
  const auto found = paths_.find(path.id);
  if (found != paths_.end()) return found->second;
  if (kept_ > kMostKept) {
    paths_.clear();
    kept_ = 0;
  }
  PathStatements& fresh = paths_[path.id] = path_statements(trace_, set_, path);
  kept_ += 16 + fresh.statements.size();
  return fresh;
}

void PathFollower::collect(const Path& path) {
  if (!path.enters && !stack_.empty()) {
    settle(stack_.back());
    stack_.back() = kWaitsForNone;
  }
  const PathStatements& executed = statements_of(path);
  // What is seen late comes first; the rest has the order of the path.
  size_t next = 0;
  while (next < seen_.size() && seen_[next].time != time_) ++next;
  for (const uint32_t statement : executed.statements) {
    if (next < seen_.size() && seen_[next].statement == statement)
      rows_.push_back(seen_[next++]);
    else
      rows_.push_back({.time = time_, .function = path.function, .statement = statement});
  }
  waits_ = executed.waits;
  if (path.leaves) {
    if (!path.enters && !stack_.empty()) stack_.pop_back();
    return;
  }
  if (path.enters || stack_.empty()) stack_.push_back(kWaitsForNone);
  if (waits_) stack_.back() = rows_.back();
}

// The activation goes on, or is gone: what was seen of the row is all there is.
void PathFollower::settle(const Observation& waiting) {
  if (waiting.function == kNone) return;
  settled_.push_back(waiting);
  for (const Observation& late : seen_)
    if (late.time == waiting.time && late.function == waiting.function &&
        late.statement == waiting.statement)
      settled_.back() = late;
}

void PathFollower::cut_back(size_t keep) {
  while (stack_.size() > keep) {
    settle(stack_.back());
    stack_.pop_back();
  }
}

}  // namespace vestige
