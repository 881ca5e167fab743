#include "query/slice/window_paths.h"

#include "query/slice/path_shape.h"
#include "vestige/values.h"

namespace vestige {

WindowPaths::WindowPaths(const Trace& trace, const Windows& windows, uint32_t thread,
                         PathSteps& steps)
    : trace_(trace),
      windows_(windows),
      thread_(thread),
      path_steps_(steps),
      set_(trace, all_addresses(trace)),
      bytes_(set_.bits().size()),
      late_transfers_(trace, windows) {
  for (const StatementSet::OfFunction& part : set_.functions()) {
    const Function& function = trace.functions()[part.function];
    for (const uint32_t s : part.statements)
      bytes_[uint64_t{function.first_statement} + s] = referred_bytes(function, s);
  }
}

Result<void> WindowPaths::load(size_t window, PathSteps::Position position, uint64_t last_time) {
  last_time_ = std::min(last_time, windows_.of(thread_)[window].last_time);
  steps_.clear();
  rows_.clear();
  transfers_.clear();
  first_row_.clear();
  path_steps_.go_to(std::move(position));
  while (path_steps_.position().time < last_time_) {
    PathStep step;
    const auto next = path_steps_.next(step);
    if (!next) return std::unexpected(next.error());
    if (!*next || step.time > last_time_) break;
    steps_.push_back(step);
  }
  if (auto done = evaluate(window); !done) return done;
  for (Observation& row : rows_)
    if (!row.has_length)
      row.length =
          bytes_[uint64_t{trace_.functions()[row.function].first_statement} + row.statement];
  size_t row = 0;
  for (const PathStep& step : steps_) {
    while (row < rows_.size() && rows_[row].time < step.time) ++row;
    first_row_.push_back(row);
  }
  first_row_.push_back(rows_.size());
  return {};
}

// Where nothing comes late one evaluation serves all windows, with what it has compiled.
Result<void> WindowPaths::evaluate(size_t window) {
  if (!set_.prompt()) {
    RowRange range{.thread = thread_, .first_window = window};
    range.last_time = last_time_;
    auto source = open_rows(trace_, windows_, set_, range);
    if (!source) return std::unexpected(std::move(source.error()));
    while (true) {
      const auto read = (*source)->read(rows_);
      if (!read) return std::unexpected(read.error());
      if (!*read) return read_transfers(window);
    }
  }
  if (evaluation_) {
    if (auto gone = windows_.go_to(*evaluation_, window); !gone) return gone;
  } else {
    auto evaluation = windows_.begin(thread_, window);
    if (!evaluation) return std::unexpected(std::move(evaluation.error()));
    evaluation_.emplace(std::move(*evaluation));
    evaluation_->evaluator().observe(*this, set_.bits());
  }
  while (evaluation_->evaluator().time() < last_time_) {
    const auto paths = evaluation_->run(1 << 10);
    if (!paths) return std::unexpected(paths.error());
    if (*paths == 0) break;
  }
  return {};
}

// Of calls that come back in the window.
Result<void> WindowPaths::read_transfers(size_t window) {
  if (late_transfers_.none()) return {};
  late_transfers_.begin(thread_, window);
  std::vector<Transfer> piece;
  while (true) {
    const auto read = late_transfers_.read(piece, last_time_);
    if (!read) return std::unexpected(read.error());
    if (!*read) return {};
    for (const Transfer& seen : piece) transfer(seen);
  }
}

}  // namespace vestige
