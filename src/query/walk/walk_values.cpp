#include "query/walk/walk_values.h"

#include <algorithm>

#include "vestige/values.h"

namespace vestige {

namespace {

std::vector<StatementRef> all_shown(const Trace& trace) {
  std::vector<StatementRef> all = all_values(trace);
  const std::vector<StatementRef> others = all_addresses(trace);
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

}  // namespace

WalkValues::WalkValues(const Trace& trace, Windows windows, uint32_t thread, bool back)
    : trace_(trace),
      windows_(std::move(windows)),
      thread_(thread),
      back_(back),
      set_(trace, all_shown(trace)) {}

Result<std::unique_ptr<WalkValues>> WalkValues::open(const Trace& trace, uint32_t thread,
                                                     bool back) {
  auto windows = Windows::open(trace);
  if (!windows) {
    if (windows.error().kind == ErrorKind::unsupported) return nullptr;
    return std::unexpected(std::move(windows.error()));
  }
  if (windows->of(thread).empty()) return nullptr;
  return std::unique_ptr<WalkValues>(new WalkValues(trace, std::move(*windows), thread, back));
}

size_t WalkValues::window_of(uint64_t time) const {
  const std::span<const Window> all = windows_.of(thread_);
  const auto behind = std::ranges::upper_bound(all, time, {}, &Window::first_time);
  return behind == all.begin() ? 0 : static_cast<size_t>(behind - all.begin()) - 1;
}

Result<std::span<const Observation>> WalkValues::of(uint64_t time) {
  if (auto loaded = back_ ? load_back(time) : load_forwards(time); !loaded)
    return std::unexpected(std::move(loaded.error()));
  const auto [first, last] = std::ranges::equal_range(rows_, time, {}, &Observation::time);
  return std::span(first, last);
}

Result<void> WalkValues::load_back(uint64_t time) {
  if (time >= first_time_ && time <= last_time_) return {};
  const size_t window = window_of(time);
  RowRange range{.thread = thread_, .first_window = window};
  range.last_time = time;
  range.first_time = std::max(windows_.of(thread_)[window].first_time,
                              time >= kBackPaths ? time - kBackPaths + 1 : 1);
  range.horizon = kWalkHorizon;
  rows_.clear();
  auto source = open_rows(trace_, windows_, set_, range);
  if (!source) return std::unexpected(std::move(source.error()));
  while (true) {
    const auto read = (*source)->read(rows_);
    if (!read) return std::unexpected(read.error());
    if (!*read) break;
  }
  first_time_ = range.first_time;
  last_time_ = time;
  return {};
}

Result<void> WalkValues::load_forwards(uint64_t time) {
  if (!source_) {
    RowRange range{.thread = thread_, .first_window = window_of(time)};
    range.first_time = time;
    range.horizon = kWalkHorizon;
    auto opened = open_rows(trace_, windows_, set_, range);
    if (!opened) return std::unexpected(std::move(opened.error()));
    source_ = std::move(*opened);
  }
  while (!ended_ && (rows_.empty() || rows_.back().time <= time)) {
    rows_.erase(rows_.begin(), std::ranges::lower_bound(rows_, time, {}, &Observation::time));
    const auto read = source_->read(rows_);
    if (!read) return std::unexpected(read.error());
    ended_ = !*read;
  }
  return {};
}

}  // namespace vestige
