// What is told of OpenMP (openmp.cpp, openmp_tasks.cpp): giving to and taking from things that have
// numbers.
//
// Bits 60 to 63 of a thing say what it is, no address looks like that; the others are its number.
//
//   9 region        given by who begins it, taken by its implicit tasks
//   10 round        one round of a team's barrier
//   11 task         of traces before there were deferred ones: every explicit task
//   12 tasks done   given by every task at its end; 13 dependent: by those with dependences. Coarse: who waits
//                   for some tasks takes all that were done then
//   14 ordered
//   15 deferred     an explicit task that its creator does not wait for, and what else there is to know of such
//                   tasks: bits 56 to 59 say what (Deferred)
//
// Frozen: they are in the file (docs/format.md).
#pragma once

#if __has_include(<omp-tools.h>)

#include <omp-tools.h>

#include "record/runtime/heap.h"

namespace vestige::runtime {

enum class Thing : uint64_t {
  region = 9,
  round = 10,
  tasks_done = 12,
  dependent = 13,
  ordered = 14,
  deferred = 15
};
inline uint64_t thing_name(Thing thing, uint64_t number = 0) {
  return static_cast<uint64_t>(thing) << 60 | (number & ((uint64_t{1} << 60) - 1));
}

// All but the task are notices: taken, and given by nobody.
enum class Deferred : uint64_t {
  // Given: it is created, or the thread leaves it, to be gone on with. Taken: a thread begins it,
  // or goes on with it.
  task = 0,
  over = 1,         // the thread's task has ended
  waited = 2,       // for the children of what runs
  group_begin = 3,  // of what runs
  group_end = 4,    // its tasks were waited for
  barrier = 5,      // all tasks of the team were waited for
  reads = 6,        // the task that was created last depends on this address: in
  writes = 7,       // any other dependence
  own_first = 8,    // memory that is this thread's own: its variables
  own_end = 9,      // up to here
  asks = 10,  // what runs wants to know which thread it runs in, or the thread's copy of something
  fulfilled = 11,  // an event that some task's completion depends on
  sibling = 12,    // the task that was created last is a child of the creator of what runs
  met =
      13  // what runs waited for what this task depends on, which was created for that and never begins
};
inline uint64_t deferred_name(Deferred what, uint64_t number = 0) {
  return thing_name(Thing::deferred,
                    static_cast<uint64_t>(what) << 56 | (number & ((uint64_t{1} << 56) - 1)));
}

inline void give(uint64_t thing) {
  tell_sync(protocol::SyncKind::omp_give, reinterpret_cast<const void*>(thing));
}
inline void take(uint64_t thing) {
  tell_sync(protocol::SyncKind::omp_take, reinterpret_cast<const void*>(thing));
}
// Only races need these, and they need full recordings.
inline void notice(Deferred what, uint64_t number = 0) {
  ThreadState* state = this_thread();
  if (state == nullptr || state->values.entry == nullptr) return;
  if (RingWriter* writer = sync_writer())
    tell_sync(*writer, protocol::SyncKind::omp_take,
              reinterpret_cast<const void*>(deferred_name(what, number)), take_stamp());
}

// An implicit task's data: bit 63, its region, and in the low bits the barriers it has gone
// through. An explicit task's is of openmp_tasks.cpp.
inline constexpr uint64_t kImplicit = uint64_t{1} << 63;

// A number that no region and no task had.
uint64_t next_number();

// Whether there have been deferred tasks.
extern std::atomic<bool> tasks_deferred;

// What runs asks which thread it runs in: told inside of deferred tasks.
void tell_asked();

// Has OMPT tell of tasks.
void follow_tasks(ompt_function_lookup_t lookup, ompt_set_callback_t set);

}  // namespace vestige::runtime

#endif
