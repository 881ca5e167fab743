// OpenMP: libomp waits and wakes by its own means, so it is asked by its tools interface (OMPT),
// and where that tells of giving too late (locks), its functions are interposed.
//
// Everything is told as giving to and taking from things that have numbers (openmp.h): a parallel
// region (given by who begins it, taken by its implicit tasks), one round of a team's barrier.
// Explicit tasks: openmp_tasks.cpp.
#include "record/runtime/openmp.h"

#if __has_include(<omp-tools.h>)

#include "record/runtime/interpose.h"
#include "record/runtime/sync.h"

namespace vestige::runtime {
namespace {

std::atomic<uint64_t> last_number;

constexpr uint32_t kRoundBits = 24;

void parallel_begin(ompt_data_t*, const ompt_frame_t*, ompt_data_t* region, unsigned, int,
                    const void*) {
  // Also where this run has one thread: another schedule may have several (docs/threads.md).
  several_threads.store(true, std::memory_order_relaxed);
  region->value = next_number();
  give(thing_name(Thing::region, region->value));
}

void implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task, unsigned,
                   unsigned, int flags) {
  if (endpoint != ompt_scope_begin || region == nullptr || (flags & ompt_task_initial) != 0) return;
  task->value = kImplicit | region->value << kRoundBits;
  take(thing_name(Thing::region, region->value));
}

bool is_barrier(ompt_sync_region_t kind) {
  return kind != ompt_sync_region_taskwait && kind != ompt_sync_region_taskgroup &&
         kind != ompt_sync_region_reduction;
}

void wait_for_tasks(Deferred which) {
  notice(which);
  take(thing_name(Thing::tasks_done));
}

void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*,
                 ompt_data_t* task, const void*) {
  if (kind == ompt_sync_region_taskgroup) {
    if (endpoint == ompt_scope_begin) notice(Deferred::group_begin);
    return;
  }
  if (!is_barrier(kind)) {
    if (endpoint == ompt_scope_end && tasks_deferred.load(std::memory_order_relaxed))
      wait_for_tasks(Deferred::waited);
    return;
  }
  if (task == nullptr || (task->value & kImplicit) == 0) return;
  const uint64_t round = thing_name(Thing::round, task->value);
  if (endpoint == ompt_scope_begin) {
    give(round);
  } else {
    take(round);
    if (tasks_deferred.load(std::memory_order_relaxed)) wait_for_tasks(Deferred::barrier);
    ++task->value;
  }
}

// Before the group's end, which comes behind what is combined then.
void sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*,
                      ompt_data_t*, const void*) {
  if (kind == ompt_sync_region_taskgroup && endpoint == ompt_scope_end)
    wait_for_tasks(Deferred::group_end);
}

// In the middle of a barrier, or before it: what others have made ready is combined.
void reduction(ompt_sync_region_t, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* task,
               const void*) {
  if (task == nullptr || (task->value & kImplicit) == 0) return;
  const uint64_t round = thing_name(Thing::round, task->value);
  endpoint == ompt_scope_begin ? take(round) : give(round);
}

// Its workers wait for the next region, for ever: the program's end does not wait for them.
void thread_begin(ompt_thread_t type, ompt_data_t*) {
  ThreadState* state = this_thread();
  if (type == ompt_thread_worker && state != nullptr) uncount_thread(state);
}

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t*) {
  const auto set = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
  if (set == nullptr) return 0;
  const auto want = [&](ompt_callbacks_t event, auto* callback) {
    set(event, reinterpret_cast<ompt_callback_t>(callback));
  };
  want(ompt_callback_thread_begin, thread_begin);
  want(ompt_callback_parallel_begin, parallel_begin);
  want(ompt_callback_implicit_task, implicit_task);
  want(ompt_callback_sync_region, sync_region);
  want(ompt_callback_reduction, reduction);
  want(ompt_callback_sync_region_wait, sync_region_wait);
  follow_tasks(lookup, set);
  return 1;
}

void finalize(ompt_data_t*) {}

}  // namespace

uint64_t next_number() { return last_number.fetch_add(1, std::memory_order_relaxed) + 1; }

}  // namespace vestige::runtime

using namespace vestige;
using namespace vestige::runtime;

extern "C" VESTIGE_EXPORT ompt_start_tool_result_t* ompt_start_tool(unsigned, const char*) {
  static ompt_start_tool_result_t result = {runtime::initialize, runtime::finalize, {0}};
  return recording() ? &result : nullptr;
}

#ifndef VESTIGE_STATIC

using protocol::SyncKind;

VESTIGE_INTERPOSE_LATE(void, __kmpc_critical, (void* where, int thread, void* lock)) {
  VESTIGE_REAL(__kmpc_critical)(where, thread, lock);
  tell_sync(SyncKind::mutex_lock, lock);
}
VESTIGE_INTERPOSE_LATE(void, __kmpc_critical_with_hint,
                       (void* where, int thread, void* lock, uint32_t hint)) {
  VESTIGE_REAL(__kmpc_critical_with_hint)(where, thread, lock, hint);
  tell_sync(SyncKind::mutex_lock, lock);
}
VESTIGE_INTERPOSE_LATE(void, __kmpc_end_critical, (void* where, int thread, void* lock)) {
  tell_sync(SyncKind::mutex_unlock, lock);
  VESTIGE_REAL(__kmpc_end_critical)(where, thread, lock);
}
VESTIGE_INTERPOSE_LATE(void, __kmpc_ordered, (void* where, int thread)) {
  VESTIGE_REAL(__kmpc_ordered)(where, thread);
  take(runtime::thing_name(runtime::Thing::ordered));
}
VESTIGE_INTERPOSE_LATE(void, __kmpc_end_ordered, (void* where, int thread)) {
  give(runtime::thing_name(runtime::Thing::ordered));
  VESTIGE_REAL(__kmpc_end_ordered)(where, thread);
}
VESTIGE_INTERPOSE_LATE(void, __kmpc_doacross_wait, (void* where, int thread, const int64_t* at)) {
  VESTIGE_REAL(__kmpc_doacross_wait)(where, thread, at);
  take(runtime::thing_name(runtime::Thing::ordered, 1));
}
VESTIGE_INTERPOSE_LATE(void, __kmpc_doacross_post, (void* where, int thread, const int64_t* at)) {
  give(runtime::thing_name(runtime::Thing::ordered, 1));
  VESTIGE_REAL(__kmpc_doacross_post)(where, thread, at);
}
VESTIGE_INTERPOSE_LATE(void, omp_init_lock, (void* lock)) {
  VESTIGE_REAL(omp_init_lock)(lock);
  tell_object_begins(lock);
}
VESTIGE_INTERPOSE_LATE(void, omp_destroy_lock, (void* lock)) {
  VESTIGE_REAL(omp_destroy_lock)(lock);
  tell_object_ends(lock);
}
VESTIGE_INTERPOSE_LATE(void, omp_set_lock, (void* lock)) {
  VESTIGE_REAL(omp_set_lock)(lock);
  tell_sync(SyncKind::mutex_lock, lock);
}
VESTIGE_INTERPOSE_LATE(int, omp_test_lock, (void* lock)) {
  int got = VESTIGE_REAL(omp_test_lock)(lock);
  if (got != 0) tell_sync(SyncKind::mutex_lock, lock);
  return got;
}
VESTIGE_INTERPOSE_LATE(void, omp_unset_lock, (void* lock)) {
  tell_sync(SyncKind::mutex_unlock, lock);
  VESTIGE_REAL(omp_unset_lock)(lock);
}
VESTIGE_INTERPOSE_LATE(void, omp_init_nest_lock, (void* lock)) {
  VESTIGE_REAL(omp_init_nest_lock)(lock);
  tell_object_begins(lock);
}
VESTIGE_INTERPOSE_LATE(void, omp_destroy_nest_lock, (void* lock)) {
  VESTIGE_REAL(omp_destroy_nest_lock)(lock);
  tell_object_ends(lock);
}
VESTIGE_INTERPOSE_LATE(void, omp_set_nest_lock, (void* lock)) {
  VESTIGE_REAL(omp_set_nest_lock)(lock);
  tell_sync(SyncKind::mutex_lock, lock);
}
VESTIGE_INTERPOSE_LATE(int, omp_test_nest_lock, (void* lock)) {
  int depth = VESTIGE_REAL(omp_test_nest_lock)(lock);
  if (depth != 0) tell_sync(SyncKind::mutex_lock, lock);
  return depth;
}
VESTIGE_INTERPOSE_LATE(void, omp_unset_nest_lock, (void* lock)) {
  tell_sync(SyncKind::mutex_unlock, lock);
  VESTIGE_REAL(omp_unset_nest_lock)(lock);
}

#endif
#endif
