// What threads did to each other: every synchronization operation of a trace, by thread and in one
// order.
//
//     auto order = vestige::SyncOrderCursor::open(trace);
//     while (order->next()) use(order->operation());
//     if (order->error()) …
//
// Each operation has a stamp, and stamps are unique in the trace. What takes something (a lock, a
// token of a semaphore, the result of a thread) is stamped when it has it; what gives something (an
// unlock, a post, a signal, the creation of a thread) is stamped before it does. So an operation
// that made another one possible has the lower stamp, and of the operations on one lock the order
// of stamps is the order in which threads had it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vestige/api.h"
#include "vestige/result.h"
#include "vestige/sync_kind.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
namespace vestige {

// "mutex_lock" …; "unknown" for a kind of a later version.
std::string_view sync_kind_name(SyncKind kind);
// "barrier" …; "unknown".
std::string_view mpi_function_name(MpiFunction function);

struct SyncOperation {
  uint32_t thread = 0;
  uint64_t number = 0;  // of the thread's operations, from 1
  // Paths completed before it: the last of them ends in the call, or in the atomic operation.
  uint64_t time = 0;
  SyncKind kind = SyncKind::mutex_lock;
  // 0, or the error number of an operation that had an effect all the same; of atomic operations
  // the memory order as C11 counts them (docs/format.md).
  uint32_t result = 0;
  uint64_t object = 0;  // its address; of threads the handle
  uint64_t other = 0;   // see SyncKind
  uint64_t stamp = 0;
  bool operator==(const SyncOperation&) const = default;
};

// A lock was given back (an unlock, or the beginning of a wait on a condition variable) by a thread
// that did not have it. It orders nothing.
struct SyncMisuse {
  SyncOperation operation;
  uint32_t holder = kNone;  // the thread that had it alone; kNone: nobody did
  std::string lock = {};    // the variable; empty when that is not known
};
// By rising stamp, the first `most` of them.
Result<std::vector<SyncMisuse>> find_misuses(const Trace& trace, size_t most = SIZE_MAX);

// The operations of one thread, in order. Must not outlive its Trace.
class SyncCursor {
 public:
  static Result<SyncCursor> open(const Trace& trace, uint32_t thread);
  SyncCursor(SyncCursor&&) noexcept;
  SyncCursor& operator=(SyncCursor&&) noexcept;
  ~SyncCursor();

  // False at the end, or with error() set: damaged bytes.
  bool next();
  const SyncOperation& operation() const;
  const Error* error() const;
  // next() gives the operation with this number, or the first one behind it that is there. False:
  // there is none, or error(). Reads the chunk that holds it, none before.
  bool seek(uint64_t number);
  // The number of the last one.
  Result<uint64_t> size() const;

 private:
  friend class SyncOrderCursor;
  struct VESTIGE_LOCAL State;
  explicit SyncCursor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The place in the order of all threads, from 1, of an operation. Reads one chunk of each thread.
Result<uint64_t> place_in_order(const Trace& trace, const SyncOperation& operation);

// The operations of all threads in the order of their stamps, merged as they are asked for.
//
// Arrivals at a barrier for n and departures from it have the number of their round, from 1: the
// first n arrivals are round 1, the next n round 2. 0 where the barrier's beginning was not
// recorded, and of a barrier that processes share.
class SyncOrderCursor {
 public:
  static Result<SyncOrderCursor> open(const Trace& trace);
  // With the operations on memory (is_memory), which have numbers of their own.
  static Result<SyncOrderCursor> open_with_memory(const Trace& trace);

  bool next();
  const SyncOperation& operation() const { return operation_; }
  const Error* error() const { return error_ ? &*error_ : nullptr; }

 private:
  struct Barrier {
    uint64_t participants = 0, arrivals = 0;
  };
  SyncOrderCursor() = default;
  static Result<SyncOrderCursor> open(const Trace& trace, bool memory);
  void find_round();
  bool later(size_t a, size_t b) const;
  std::vector<SyncCursor> cursors_;
  std::vector<size_t> heap_;  // of cursors that stand on an operation, the lowest stamp in front
  std::vector<uint32_t> process_of_;                           // by thread
  std::map<std::pair<uint32_t, uint64_t>, Barrier> barriers_;  // by process and address
  std::vector<uint64_t> round_of_;                             // by thread: where it arrived last
  SyncOperation operation_;
  std::optional<Error> error_;
};

}  // namespace vestige
VESTIGE_API_END
