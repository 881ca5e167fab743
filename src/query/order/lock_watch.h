// Who has which lock, and who gives one back without having it: that orders nothing, and whoever
// reads the trace is told (SyncMisuse).
//
// Who took a lock last, and did not give it back, has it. A lock is had by a thread, and by what
// runs in it: an OpenMP task that another thread goes on with has the locks it took.
//
// What was not recorded may have taken a lock too: before a child was forked, where recording was
// off, what --last dropped. There a lock that nobody took yet is given back by whoever has it. And
// in recordings of earlier versions a thread that was cancelled while it waited had the mutex again
// without having said so.
//
// One owner thread. Memory: a node for each lock.
#pragma once

#include <cerrno>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vestige/sync.h"
#include "vestige/trace.h"

namespace vestige::threads {

struct LockUser {
  uint32_t thread = kNone, strand = kNone;
  bool is(const LockUser& other) const { return thread == other.thread || strand == other.strand; }
};

// How somebody had a lock that they give back.
enum class Had : uint8_t {
  nothing,  // they did not
  alone,
  shared,
  again,      // since they waited, which ended without a word
  unrecorded  // who knows
};

inline bool gives_lock(SyncKind kind) {
  return kind == SyncKind::mutex_unlock || kind == SyncKind::spin_unlock ||
         kind == SyncKind::rwlock_unlock;
}
// The end of a wait that did not take the mutex: it was not had, or never given away.
inline bool failed_wait(const SyncOperation& op) {
  return op.kind == SyncKind::cond_wake && (op.result == EPERM || op.result == EINVAL);
}

class LockWatch {
 public:
  explicit LockWatch(const Trace& trace) : trace_(trace) {}

  // Locks by their numbers (object_lives.h).
  void take(uint32_t lock, const LockUser& who, bool shared);
  Had give(uint32_t lock, const LockUser& who);
  // The thread begins to wait and will take the lock again; it did.
  void wait(uint32_t lock, uint32_t thread) { waits_[thread] = lock; }
  // It failed: what was given back was not.
  void undo_give(uint32_t lock, const LockUser& who, Had had);
  void forget(uint32_t lock) { locks_.erase(lock); }

  // The thread that has it; kNone: nobody alone.
  uint32_t holder(uint32_t lock) const;

 private:
  struct Lock {
    bool taken = false;  // once
    LockUser writer;
    uint64_t depth = 0;
    std::vector<std::pair<LockUser, uint64_t>> readers;  // how often
  };
  bool is_whole(uint32_t process);

  const Trace& trace_;
  std::unordered_map<uint32_t, Lock> locks_;
  std::unordered_map<uint32_t, uint32_t> waits_;  // by thread
  std::unordered_map<uint32_t, bool> whole_;      // by process
};

}  // namespace vestige::threads
