#include <algorithm>

#include "vestige/query.h"
#include "vestige/sync_chart.h"

namespace vestige {

namespace {

// The lock that an operation takes or gives; 0: none.
uint64_t taken(const SyncOperation& op) {
  switch (op.kind) {
    case SyncKind::mutex_lock:
    case SyncKind::spin_lock:
    case SyncKind::read_lock:
    case SyncKind::write_lock:
      return op.object;
    case SyncKind::cond_wake:
      return op.other;
    default:
      return 0;
  }
}
uint64_t given(const SyncOperation& op) {
  switch (op.kind) {
    case SyncKind::mutex_unlock:
    case SyncKind::spin_unlock:
    case SyncKind::rwlock_unlock:
      return op.object;
    case SyncKind::cond_wait:
      return op.other;
    default:
      return 0;
  }
}

std::unexpected<Error> too_few(const Trace& trace, uint32_t thread, const SyncCursor& cursor) {
  const auto has = cursor.size();
  if (!has) return std::unexpected(has.error());
  return fail(ErrorKind::missing, trace.file() + ": thread " + thread_name(trace, thread) +
                                      " has " + std::to_string(*has) +
                                      " synchronization operations");
}

void bound(const Trace& trace, SyncStretch& stretch) {
  const ThreadInfo& info = trace.threads()[stretch.thread];
  stretch.first_time = stretch.from ? stretch.from->time + 1 : info.first_time;
  stretch.last_time = stretch.to ? stretch.to->time : info.first_time + info.paths - 1;
}

}  // namespace

Result<SyncStretch> sync_segment(const Trace& trace, uint32_t thread, uint64_t number) {
  auto cursor = SyncCursor::open(trace, thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  SyncStretch stretch;
  stretch.thread = thread;
  cursor->seek(std::max<uint64_t>(number, 1));
  while (cursor->next()) {
    if (cursor->operation().number == number) {
      stretch.from = cursor->operation();
      continue;
    }
    stretch.to = cursor->operation();
    break;
  }
  if (cursor->error()) return std::unexpected(*cursor->error());
  if (number != 0 && !stretch.from) return too_few(trace, thread, *cursor);
  bound(trace, stretch);
  return stretch;
}

Result<SyncStretch> sync_held(const Trace& trace, uint32_t thread, uint64_t number) {
  auto cursor = SyncCursor::open(trace, thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  SyncStretch stretch;
  stretch.thread = thread;
  uint64_t depth = 1, lock = 0;
  bool doubted = false;  // the lock was given, unless the next operation says that this was refused
  cursor->seek(number);
  while (cursor->next()) {
    const SyncOperation& op = cursor->operation();
    if (op.number == number) {
      stretch.from = op;
      lock = taken(op);
      if (lock == 0)
        return fail(ErrorKind::usage, "synchronization operation " + std::to_string(number) +
                                          " of thread " + thread_name(trace, thread) + " is " +
                                          std::string(sync_kind_name(op.kind)) +
                                          ", which takes no lock");
      continue;
    }
    if (doubted) {
      if (op.kind != SyncKind::refused) break;
      stretch.operations.push_back(*stretch.to);
      stretch.to.reset();
      doubted = false;
      depth = 1;
    }
    if (taken(op) == lock) ++depth;
    if (given(op) == lock && --depth == 0) {
      stretch.to = op;
      doubted = true;
      continue;
    }
    if (!stretch.from) break;  // that operation was lost
    stretch.operations.push_back(op);
  }
  if (cursor->error()) return std::unexpected(*cursor->error());
  if (!stretch.from) return too_few(trace, thread, *cursor);
  bound(trace, stretch);
  return stretch;
}

}  // namespace vestige
