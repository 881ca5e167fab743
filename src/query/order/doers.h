// Who did an operation, and when: a signal handler's are those of the thread that it interrupted.
// And which were none: they failed.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "vestige/result.h"
#include "vestige/sync.h"
#include "vestige/trace.h"

namespace vestige::threads {

class Doers {
 public:
  // Reads all operations. The trace must outlive it.
  static Result<Doers> read(const Trace& trace);

  // The thread, and its time.
  std::pair<uint32_t, uint64_t> of(const SyncOperation& op) const;
  // It failed, or says of another one that it did.
  bool left_out(const SyncOperation& op) const {
    return op.kind == SyncKind::refused || failed(op);
  }
  bool failed(const SyncOperation& op) const {
    return !is_memory(op.kind) && refused_[op.thread].contains(op.number);
  }
  // Deferred tasks of OpenMP that were made.
  uint64_t tasks_given() const { return tasks_given_; }

 private:
  struct Interruption {
    uint64_t from = 0;  // the handler's time
    uint32_t thread = 0;
    uint64_t time = 0;  // that thread's
  };
  const Trace* trace_ = nullptr;
  std::vector<std::unordered_set<uint64_t>> refused_;     // by thread: numbers
  std::vector<std::vector<Interruption>> interruptions_;  // by thread
  uint64_t tasks_given_ = 0;
};

}  // namespace vestige::threads
