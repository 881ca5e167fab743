// The events of a thread in order, chunk by chunk, with the stack changes that Trace::events leaves
// out.
#pragma once

#include <cstdint>
#include <vector>

#include "store/chunks.h"
#include "vestige/trace.h"

namespace vestige {

class EventFeed {
 public:
  // The trace must outlive it.
  EventFeed(const Trace& trace, uint32_t thread, size_t first_chunk = 0)
      : trace_(&trace), thread_(thread), chunk_(first_chunk) {}

  // The next event's time; UINT64_MAX at the end, and until the first advance().
  uint64_t next_time() const { return next_time_; }
  const Event& next() const { return events_[at_]; }
  // Fails when a chunk's events cannot be read; they are left out then.
  Result<void> advance();
  // More may have come since the end was met.
  Result<void> look_again() { return next_time_ == UINT64_MAX ? advance() : Result<void>(); }

 private:
  const Trace* trace_;
  uint32_t thread_;
  size_t chunk_;  // the next one to read
  std::vector<Event> events_;
  size_t at_ = SIZE_MAX;  // plus one: the event after `next`
  uint64_t next_time_ = UINT64_MAX;
};

}  // namespace vestige
