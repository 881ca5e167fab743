// The kinds of synchronization operations, by the numbers that stand in files. Who asks for the
// operations themselves includes sync.h.
#pragma once

#include <cstdint>

namespace vestige {

// Frozen: these numbers are in the file (docs/format.md).
enum class SyncKind : uint8_t {
  mutex_lock = 1,
  mutex_unlock = 2,
  read_lock = 3,
  write_lock = 4,
  rwlock_unlock = 5,
  spin_lock = 6,
  spin_unlock = 7,
  cond_wait = 8,  // gives the mutex (other) away and waits
  // Has the mutex (other) again; result: ETIMEDOUT when nobody woke it, ECANCELED when the thread
  // was cancelled in the wait.
  cond_wake = 9,
  cond_signal = 10,
  cond_broadcast = 11,
  barrier_init = 12,    // other: participants; 0: not all are seen
  barrier_arrive = 13,  // other, of SyncOrderCursor alone: the round
  barrier_leave = 14,   // the same; result 1: the one that was told PTHREAD_BARRIER_SERIAL_THREAD
  sem_init = 15,        // other: value
  sem_wait = 16,
  sem_post = 17,
  // Ran the initialization, which is complete; result ECANCELED: it was left, and is not.
  once_done = 18,
  // Knows it to be complete; result ECANCELED: begins another attempt, and knows of those before.
  once = 19,
  thread_create = 20,  // object: the new thread's handle (ThreadInfo::handle)
  thread_join = 21,    // object: the handle
  refused = 22,        // the operation before it, on the same object, failed: result says why
  omp_give = 23,       // OpenMP: a region, a round of a barrier, a task; not an address
  omp_take = 24,
  mpi_send = 25,     // a message: a number that both ends have; result: the other end's rank
  mpi_receive = 26,  // is complete
  mpi_arrive = 27,   // at a collective operation, to give something: a number that all ranks have
  mpi_leave = 28,    // it, with what others gave
  mpi_lock = 29,     // of a window at a rank (result); shared or exclusive: other
  mpi_unlock = 30,
  mpi_access = 31,  // to a window at a rank (result); orders nothing
  atomic_load = 32,
  atomic_store = 33,
  atomic_rmw = 34,
  atomic_cmpxchg = 35,
  fence = 36,  // no object
  // What goes through descriptors (pipes, sockets, eventfd …). The object: a number of what lies
  // behind them, in every process the same; not an address.
  descriptor_give = 40,
  descriptor_take = 41,
  // Not synchronization, and not counted as such: memory changes hands, or what lies in it begins
  // anew (SyncOrderCursor::open_with_memory).
  allocated = 64,    // other: the address behind its end. Of a thread's stack: told by that thread
  freed = 65,        // is about to be; result: how many bytes, in units of 8
  thread_exit = 66,  // the last thing that a thread tells
  object_begins = 67,  // a mutex, a condition variable … was initialized
  object_ends = 68,    // and destroyed
};

// Between ranks: the objects are those of the whole run, not of a process.
constexpr bool is_message(SyncKind kind) {
  return kind >= SyncKind::mpi_send && kind <= SyncKind::mpi_access;
}
// Of messages: `other` is tag × 2^32 + bytes (at most 2^32 − 1). Operations without a tag have
// their MpiFunction in its place.
// clang-format off
enum class MpiFunction : uint32_t {
  barrier = 1, bcast, reduce, allreduce, gather, scatter, allgather, alltoall, reduce_scatter, scan,
  exscan, fence, post, complete, put, get, accumulate, get_accumulate, fetch_and_op,
  compare_and_swap, lock_shared, lock_exclusive,
};
// clang-format on
constexpr uint32_t message_tag(uint64_t other) { return static_cast<uint32_t>(other >> 32); }
constexpr uint64_t message_bytes(uint64_t other) { return other & 0xffffffff; }
constexpr bool is_memory(SyncKind kind) { return kind >= SyncKind::allocated; }
constexpr bool is_atomic(SyncKind kind) {
  return kind >= SyncKind::atomic_load && kind <= SyncKind::fence;
}
// The objects are those of the whole run.
constexpr bool is_descriptor(SyncKind kind) {
  return kind == SyncKind::descriptor_give || kind == SyncKind::descriptor_take;
}

}  // namespace vestige
