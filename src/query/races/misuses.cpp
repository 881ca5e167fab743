// Locks that were given back by threads that did not have them.
#include <algorithm>

#include "query/order/doers.h"
#include "query/order/lock_watch.h"
#include "query/order/object_lives.h"
#include "query/order/tasks.h"
#include "query/races/witness.h"
#include "query/represent/sync_index.h"
#include "vestige/represent.h"
#include "vestige/sync.h"

namespace vestige {

using namespace threads;

namespace {

class MisuseWatcher {
 public:
  MisuseWatcher(const Trace& trace, const Doers& doers)
      : trace_(trace), doers_(doers), watch_(trace), running_(trace, 0, {}, nothing_) {}

  // Whether it is one; and who had the lock.
  bool misused(const SyncOperation& op, uint32_t& holder) {
    if (op.kind == SyncKind::refused) return false;
    const uint32_t t = doers_.of(op).first;
    const uint32_t process = trace_.threads()[t].process;
    if (lives_.operation(op, process) || running_.operation(op, t)) return false;
    const LockUser who = user(t);
    switch (op.kind) {
      case SyncKind::mutex_lock:
      case SyncKind::spin_lock:
      case SyncKind::write_lock:
      case SyncKind::read_lock:
        watch_.take(lives_.of(op, process), who, op.kind == SyncKind::read_lock);
        return false;
      case SyncKind::cond_wake:
        if (!failed_wait(op)) watch_.take(lives_.at({process, op.other}, op.stamp), who, false);
        return false;
      case SyncKind::mutex_unlock:
      case SyncKind::spin_unlock:
      case SyncKind::rwlock_unlock:
      case SyncKind::cond_wait: {
        const bool waits = op.kind == SyncKind::cond_wait;
        const uint32_t lock = lives_.at({process, waits ? op.other : op.object}, op.stamp);
        const Had had = watch_.give(lock, who);
        if (waits) watch_.wait(lock, t);
        if (doers_.failed(op)) watch_.undo_give(lock, who, had);
        holder = watch_.holder(lock);
        return had == Had::nothing;
      }
      default:
        return false;
    }
  }

 private:
  LockUser user(uint32_t t) {
    TaskNumber task;
    if (!running_.in_task(t, task)) return {t, t};
    const auto number = tasks_.try_emplace(task, static_cast<uint32_t>(tasks_.size())).first;
    return {t, static_cast<uint32_t>(trace_.threads().size()) + number->second};
  }

  const Trace& trace_;
  const Doers& doers_;
  ObjectLives lives_;
  LockWatch watch_;
  NoClocks nothing_;
  TaskStrands running_;  // who runs what, without slots
  std::map<TaskNumber, uint32_t> tasks_;
};

}  // namespace

namespace {

// A representation says which they are; what they follow from it may not hold.
Result<std::optional<std::vector<SyncMisuse>>> kept_misuses(const Trace& trace, size_t most) {
  std::vector<SyncMisuse> found;
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    const auto index = sync_index(trace, t);
    if (!index) return std::nullopt;
    if (index->misuses.empty()) continue;
    auto cursor = SyncCursor::open(trace, t);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    for (const SyncIndexChunk::Misuse& misuse : index->misuses)
      if (cursor->seek(misuse.number) && cursor->next())
        found.push_back({cursor->operation(), misuse.holder});
    if (cursor->error()) return std::unexpected(*cursor->error());
  }
  std::ranges::sort(found, {}, [](const SyncMisuse& misuse) { return misuse.operation.stamp; });
  found.resize(std::min(found.size(), most));
  return found;
}

}  // namespace

Result<std::vector<SyncMisuse>> find_misuses(const Trace& trace, size_t most) {
  if (representation_of(trace)) {
    auto kept = kept_misuses(trace, most);
    if (!kept) return std::unexpected(std::move(kept.error()));
    if (*kept) {
      if (!(*kept)->empty()) races::name_locks(races::GlobalNames(trace), **kept);
      return std::move(**kept);
    }
  }
  std::vector<SyncMisuse> found;
  const auto doers = Doers::read(trace);
  if (!doers) return std::unexpected(doers.error());
  auto order = SyncOrderCursor::open_with_memory(trace);
  if (!order) return std::unexpected(std::move(order.error()));
  MisuseWatcher watcher(trace, *doers);
  uint32_t holder = kNone;
  while (found.size() < most && order->next())
    if (watcher.misused(order->operation(), holder)) found.push_back({order->operation(), holder});
  if (order->error()) return std::unexpected(*order->error());
  if (!found.empty()) races::name_locks(races::GlobalNames(trace), found);
  return found;
}

}  // namespace vestige
