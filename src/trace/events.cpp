// Trace::events: the events of a thread's chunks, and the holes between them, in order.
#include "trace/fatal_place.h"
#include "trace/state.h"

namespace vestige {

namespace {

TraceEvent::Kind kind_of(const Event& event) {
  using From = format::EventKind;
  using To = TraceEvent::Kind;
  switch (event.kind) {
    case From::resync:
      return event.reason == format::ResyncReason::gap        ? To::gap
             : event.reason == format::ResyncReason::switched ? To::switched
                                                              : To::unwound;
    case From::module_load:
      return To::module_load;
    case From::module_unload:
      return To::module_unload;
    case From::fatal_signal:
      return To::fatal_signal;
    case From::handler_begin:
      return To::handler_begin;
    case From::handler_end:
      return To::handler_end;
    case From::abandoned:
      return To::abandoned;
    case From::thread_create:
      return To::thread_create;
    case From::thread_join:
      return To::thread_join;
    case From::fork:
      return To::fork;
    case From::unregistered:
      return To::unregistered;
  }
  return To::abandoned;
}

}  // namespace

Result<std::vector<TraceEvent>> Trace::events(uint32_t thread) const {
  const State& s = *state_;
  if (auto known = s.check_thread(thread); !known) return std::unexpected(std::move(known.error()));
  std::vector<TraceEvent> result;
  const auto& chunks = s.chunks[thread];
  for (size_t chunk = 0; chunk < chunks.size(); ++chunk) {
    const ChunkPlace& place = chunks[chunk];
    if (chunk > 0 && s.hole_before(thread, chunk)) {
      const uint64_t from = chunks[chunk - 1].end_time();
      result.push_back({.kind = TraceEvent::Kind::damaged,
                        .time = from - 1,
                        .numbers = {place.first_time - from}});
    }
    if (!place.has_events) continue;
    auto view = s.view(thread, chunk);
    if (!view) return std::unexpected(std::move(view.error()));
    auto events = s.events(place, *view);
    if (!events) return std::unexpected(std::move(events.error()));
    for (Event& event : *events) {
      TraceEvent row{
          .kind = kind_of(event), .time = event.time, .numbers = std::move(event.numbers)};
      if (row.kind == TraceEvent::Kind::fatal_signal) find_fatal_place(*this, thread, row);
      result.push_back(std::move(row));
    }
  }
  return result;
}

}  // namespace vestige
