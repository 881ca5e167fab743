#include "trace/eval/event_feed.h"

#include "trace/state.h"

namespace vestige {

Result<void> EventFeed::advance() {
  const Trace::State& state = trace_->state();
  const auto& chunks = state.chunks[thread_];
  ++at_;
  while (at_ >= events_.size()) {
    at_ = 0;
    events_.clear();
    next_time_ = UINT64_MAX;
    if (chunk_ >= chunks.size()) return {};
    const size_t chunk = chunk_++;
    if (!chunks[chunk].has_events) continue;
    auto view = state.view(thread_, chunk);
    if (!view) return std::unexpected(std::move(view.error()));
    auto events = state.events(chunks[chunk], *view);
    if (!events) return std::unexpected(std::move(events.error()));
    events_ = std::move(*events);
  }
  next_time_ = events_[at_].time;
  return {};
}

}  // namespace vestige
