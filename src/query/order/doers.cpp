#include "query/order/doers.h"

#include <algorithm>

#include "query/order/tasks.h"

namespace vestige::threads {

namespace {

constexpr int kMostDepth = 16;  // of handlers that interrupt handlers

}  // namespace

Result<Doers> Doers::read(const Trace& trace) {
  Doers doers;
  const size_t threads = trace.threads().size();
  doers.trace_ = &trace;
  doers.refused_.resize(threads);
  doers.interruptions_.resize(threads);
  for (uint32_t t = 0; t < threads; ++t) {
    auto cursor = SyncCursor::open(trace, t);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    while (cursor->next()) {
      if (cursor->operation().kind == SyncKind::refused)
        doers.refused_[t].insert(cursor->operation().number - 1);
      doers.tasks_given_ += gives_task(cursor->operation());
    }
    if (cursor->error()) return std::unexpected(*cursor->error());
    if (!trace.threads()[t].handler) continue;
    const auto events = trace.events(t);
    if (!events) return std::unexpected(events.error());
    for (const TraceEvent& event : *events)
      if (event.kind == TraceEvent::Kind::handler_begin && event.numbers.size() >= 3 &&
          event.numbers[1] < threads)
        doers.interruptions_[t].push_back(
            {event.time, static_cast<uint32_t>(event.numbers[1]), event.numbers[2]});
  }
  return doers;
}

std::pair<uint32_t, uint64_t> Doers::of(const SyncOperation& op) const {
  uint32_t t = op.thread;
  uint64_t time = op.time;
  for (int depth = 0; depth < kMostDepth && trace_->threads()[t].handler; ++depth) {
    const auto& all = interruptions_[t];
    const auto behind = std::ranges::upper_bound(all, time, {}, &Interruption::from);
    if (behind == all.begin()) break;
    t = behind[-1].thread;
    time = behind[-1].time;
  }
  return {t, time};
}

}  // namespace vestige::threads
