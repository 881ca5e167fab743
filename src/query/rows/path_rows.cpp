#include "query/rows/path_rows.h"

namespace vestige {

Result<void> PathRows::open(const Trace& trace, const Windows& windows, const StatementSet& set,
                            uint32_t thread) {
  auto source = open_rows(trace, windows, set, {.thread = thread, .transfers = &transfers_});
  if (!source) return std::unexpected(std::move(source.error()));
  source_ = std::move(*source);
  return {};
}

Result<std::span<const Transfer>> PathRows::transfers(uint64_t time) {
  if (auto read = read_behind(time); !read) return std::unexpected(std::move(read.error()));
  size_t gone = 0;
  while (gone < transfers_.size() && transfers_[gone].time < time) ++gone;
  transfers_.erase(transfers_.begin(), transfers_.begin() + static_cast<ptrdiff_t>(gone));
  size_t count = 0;
  while (count < transfers_.size() && transfers_[count].time == time) ++count;
  return std::span<const Transfer>(transfers_).first(count);
}

Result<std::span<const Observation>> PathRows::of(uint64_t time) {
  if (auto read = read_behind(time); !read) return std::unexpected(std::move(read.error()));
  while (at_ < rows_.size() && rows_[at_].time < time) ++at_;
  const size_t first = at_;
  while (at_ < rows_.size() && rows_[at_].time == time) ++at_;
  return std::span<const Observation>(rows_).subspan(first, at_ - first);
}

Result<void> PathRows::read_behind(uint64_t time) {
  while (more_ && (rows_.empty() || rows_.back().time <= time)) {
    rows_.erase(rows_.begin(), rows_.begin() + static_cast<ptrdiff_t>(at_));
    at_ = 0;
    const auto read = source_->read(rows_);
    if (!read) return std::unexpected(read.error());
    more_ = *read;
  }
  return {};
}

}  // namespace vestige
