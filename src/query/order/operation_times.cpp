#include "query/order/operation_times.h"

#include <algorithm>

#include "query/order/doers.h"

namespace vestige::threads {

Result<OperationTimes> OperationTimes::read(const Trace& trace) {
  OperationTimes times;
  times.done_.resize(trace.threads().size());
  auto doers = Doers::read(trace);
  if (!doers) return std::unexpected(std::move(doers.error()));
  auto order = SyncOrderCursor::open_with_memory(trace);
  if (!order) return std::unexpected(std::move(order.error()));
  ObjectLives lives;
  while (order->next()) {
    const SyncOperation& op = order->operation();
    if (doers->left_out(op)) continue;
    const auto [t, time] = doers->of(op);
    auto& done = times.done_[t];
    // Of a handler's operations the time may fall behind.
    done.push_back({std::max(time, done.empty() ? 0 : done.back().time), op.stamp});
    if (!has_object(op.kind)) continue;
    const uint32_t process = trace.threads()[t].process;
    lives.of(op, process);
    if (op.kind == SyncKind::cond_wait || op.kind == SyncKind::cond_wake)
      lives.at({process, op.other}, op.stamp);
  }
  if (order->error()) return std::unexpected(*order->error());
  times.uses_ = lives.uses();
  return times;
}

std::pair<uint64_t, uint64_t> OperationTimes::around(uint32_t thread, uint64_t time) const {
  const auto& done = done_[thread];
  const auto behind = std::ranges::lower_bound(done, time, {}, &Done::time);
  return {behind == done.begin() ? 0 : behind[-1].stamp,
          behind == done.end() ? UINT64_MAX : behind->stamp};
}

}  // namespace vestige::threads
