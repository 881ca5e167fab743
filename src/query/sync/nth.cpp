// One operation of a thread, without going through those before it.
#include <algorithm>

#include "vestige/sync_chart.h"

namespace vestige {

namespace {

// Calls use(operation) for those with lower stamps, thread by thread.
template <class Use>
Result<void> each_below(const Trace& trace, uint64_t stamp, const Use& use) {
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    auto cursor = SyncCursor::open(trace, thread);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    while (cursor->next() && cursor->operation().stamp < stamp) use(cursor->operation());
    if (cursor->error()) return std::unexpected(*cursor->error());
  }
  return {};
}

// The round of an arrival at a barrier, as SyncOrderCursor counts it.
Result<uint64_t> round_of(const Trace& trace, const SyncOperation& arrival) {
  const uint32_t process = trace.threads()[arrival.thread].process;
  uint64_t begun = 0, participants = 0;
  std::vector<uint64_t> arrivals;
  const auto read = each_below(trace, arrival.stamp, [&](const SyncOperation& op) {
    if (op.object != arrival.object || trace.threads()[op.thread].process != process) return;
    if (op.kind == SyncKind::barrier_arrive) arrivals.push_back(op.stamp);
    if (op.kind != SyncKind::barrier_init || op.stamp < begun) return;
    begun = op.stamp;
    participants = op.other;
  });
  if (!read) return std::unexpected(read.error());
  if (participants == 0) return 0;
  const auto since = std::ranges::count_if(arrivals, [&](uint64_t at) { return at > begun; });
  return static_cast<uint64_t>(since) / participants + 1;
}

// Where the thread arrived last before it leaves.
Result<std::optional<SyncOperation>> arrival_before(const Trace& trace,
                                                    const SyncOperation& leave) {
  auto cursor = SyncCursor::open(trace, leave.thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  // Mostly it is the operation before; the handler of a signal may lie between.
  for (uint64_t back = 1;; back = back > UINT64_MAX / 16 ? UINT64_MAX : 16 * back) {
    std::optional<SyncOperation> found;
    const uint64_t from = leave.number > back ? leave.number - back : 1;
    for (bool more = cursor->seek(from) && cursor->next();
         more && cursor->operation().number < leave.number; more = cursor->next())
      if (cursor->operation().kind == SyncKind::barrier_arrive) found = cursor->operation();
    if (cursor->error()) return std::unexpected(*cursor->error());
    if (found || from == 1) return found;
  }
}

}  // namespace

Result<std::optional<SyncNth>> sync_nth(const Trace& trace, uint32_t thread, uint64_t number) {
  auto cursor = SyncCursor::open(trace, thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  const bool there = cursor->seek(number) && cursor->next() && cursor->operation().number == number;
  if (cursor->error()) return std::unexpected(*cursor->error());
  if (!there) return std::optional<SyncNth>();
  SyncNth nth{cursor->operation(), 0};
  const auto place = place_in_order(trace, nth.operation);
  if (!place) return std::unexpected(place.error());
  nth.place = *place;
  if (nth.operation.kind == SyncKind::barrier_arrive) {
    const auto round = round_of(trace, nth.operation);
    if (!round) return std::unexpected(round.error());
    nth.operation.other = *round;
  } else if (nth.operation.kind == SyncKind::barrier_leave) {
    const auto arrival = arrival_before(trace, nth.operation);
    if (!arrival) return std::unexpected(arrival.error());
    const auto round = *arrival ? round_of(trace, **arrival) : Result<uint64_t>(0);
    if (!round) return std::unexpected(round.error());
    nth.operation.other = *round;
  }
  return nth;
}

}  // namespace vestige
