#include "query/order/sync_semantics.h"

namespace vestige::order {

namespace {

// Bits of the result of atomic operations (docs/format.md).
constexpr uint32_t kOrderBits = 15, kFailureShift = 4;
constexpr uint32_t kNotStored = 1 << 8, kUnordered = 1 << 9;

bool acquires(uint32_t order) { return order == 1 || order == 2 || order == 4 || order == 5; }
bool releases(uint32_t order) { return order == 3 || order == 4 || order == 5; }

}  // namespace

LockUse lock_use(SyncKind kind) {
  switch (kind) {
    case SyncKind::mutex_lock:
    case SyncKind::spin_lock:
    case SyncKind::cond_wake:
    case SyncKind::write_lock:
      return LockUse::take;
    case SyncKind::mutex_unlock:
    case SyncKind::spin_unlock:
    case SyncKind::cond_wait:
      return LockUse::give;
    case SyncKind::read_lock:
      return LockUse::take_shared;
    case SyncKind::rwlock_unlock:
      return LockUse::give_any;
    default:
      return LockUse::none;
  }
}

AtomicOperation::AtomicOperation(const SyncOperation& op) {
  const bool failed = op.kind == SyncKind::atomic_cmpxchg && (op.result & kNotStored) != 0;
  const uint32_t order = (failed ? op.result >> kFailureShift : op.result) & kOrderBits;
  loads = op.kind != SyncKind::atomic_store && op.kind != SyncKind::fence;
  stores = op.kind != SyncKind::atomic_load && op.kind != SyncKind::fence && !failed;
  acquires = order::acquires(order);
  releases = order::releases(order);
  unordered = op.kind != SyncKind::fence && (op.result & kUnordered) != 0;
  exchanges = op.kind == SyncKind::atomic_rmw || op.kind == SyncKind::atomic_cmpxchg;
}

UnbornThreads::UnbornThreads(const Trace& trace) : trace_(trace) {
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    const ThreadInfo& info = trace.threads()[t];
    if (!info.handler && info.parent != kNone && info.handle != 0 &&
        trace.threads()[info.parent].process == info.process)
      by_parent_[{info.parent, info.handle}].push_back(t);
  }
}

uint32_t UnbornThreads::born(const SyncOperation& create) {
  const auto found = by_parent_.find({create.thread, create.object});
  if (found == by_parent_.end() || found->second.empty()) return kNone;
  auto& children = found->second;
  auto child = std::ranges::find_if(children, [&](uint32_t candidate) {
    return trace_.threads()[candidate].parent_time == create.time;
  });
  if (child == children.end()) child = children.begin();
  const uint32_t born = *child;
  children.erase(child);
  return born;
}

}  // namespace vestige::order
