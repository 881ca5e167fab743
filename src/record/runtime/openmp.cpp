// OpenMP: libomp waits and wakes by its own means, so it is asked by its tools interface (OMPT),
// and where that tells of giving too late (locks), its functions are interposed.
//
// Everything is told as giving to and taking from things that have numbers: a parallel region
// (given by who begins it, taken by its implicit tasks), one round of a team's barrier, an explicit
// task, all tasks that are done, those with dependences. The last two are coarse: a task that waits
// for some tasks is ordered behind all that were done then.
#if __has_include(<omp-tools.h>)

#include <omp-tools.h>

#include "record/runtime/heap.h"
#include "record/runtime/interpose.h"
#include "record/runtime/sync.h"

namespace vestige::runtime {
namespace {

// The numbers of things; no address looks like them.
enum class Thing : uint64_t {
  region = 9,
  round = 10,
  task = 11,
  tasks_done = 12,
  dependent = 13,
  ordered = 14
};
uint64_t name(Thing thing, uint64_t number = 0) {
  return static_cast<uint64_t>(thing) << 60 | (number & ((uint64_t{1} << 60) - 1));
}

void give(uint64_t thing) {
  tell_sync(protocol::SyncKind::omp_give, reinterpret_cast<const void*>(thing));
}
void take(uint64_t thing) {
  tell_sync(protocol::SyncKind::omp_take, reinterpret_cast<const void*>(thing));
}

std::atomic<uint64_t> last_number;
std::atomic<bool> tasks_made;

// An implicit task's data: bit 63, its region, and in the low bits the barriers it has gone
// through.
constexpr uint64_t kImplicit = uint64_t{1} << 63;
constexpr uint32_t kRoundBits = 24;
// An explicit task's: its number, and in the lowest bit whether it has dependences.

void parallel_begin(ompt_data_t*, const ompt_frame_t*, ompt_data_t* region, unsigned, int,
                    const void*) {
  region->value = last_number.fetch_add(1, std::memory_order_relaxed) + 1;
  give(name(Thing::region, region->value));
}

void implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task, unsigned,
                   unsigned, int flags) {
  if (endpoint != ompt_scope_begin || region == nullptr || (flags & ompt_task_initial) != 0) return;
  task->value = kImplicit | region->value << kRoundBits;
  take(name(Thing::region, region->value));
}

bool is_barrier(ompt_sync_region_t kind) {
  return kind != ompt_sync_region_taskwait && kind != ompt_sync_region_taskgroup &&
         kind != ompt_sync_region_reduction;
}

void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*,
                 ompt_data_t* task, const void*) {
  if (!is_barrier(kind)) {
    if (endpoint == ompt_scope_end) take(name(Thing::tasks_done));
    return;
  }
  if (task == nullptr || (task->value & kImplicit) == 0) return;
  const uint64_t round = name(Thing::round, task->value);
  if (endpoint == ompt_scope_begin) {
    give(round);
  } else {
    take(round);
    if (tasks_made.load(std::memory_order_relaxed)) take(name(Thing::tasks_done));
    ++task->value;
  }
}

// In the middle of a barrier, or before it: what others have made ready is combined.
void reduction(ompt_sync_region_t, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* task,
               const void*) {
  if (task == nullptr || (task->value & kImplicit) == 0) return;
  const uint64_t round = name(Thing::round, task->value);
  endpoint == ompt_scope_begin ? take(round) : give(round);
}

void task_create(ompt_data_t*, const ompt_frame_t*, ompt_data_t* task, int, int has_dependences,
                 const void*) {
  tasks_made.store(true, std::memory_order_relaxed);
  const uint64_t number = last_number.fetch_add(1, std::memory_order_relaxed) + 1;
  task->value = number << 1 | (has_dependences != 0);
  give(name(Thing::task, task->value));
}

void task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  const auto explicit_task = [](const ompt_data_t* task) {
    return task != nullptr && task->value != 0 && (task->value & kImplicit) == 0;
  };
  const bool over = status != ompt_task_yield && status != ompt_task_switch;
  if (over && explicit_task(prior)) {
    give(name(Thing::tasks_done));
    if ((prior->value & 1) != 0) give(name(Thing::dependent));
  }
  if (explicit_task(next)) {
    take(name(Thing::task, next->value));
    if ((next->value & 1) != 0) take(name(Thing::dependent));
  }
}

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t*) {
  const auto set = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
  if (set == nullptr) return 0;
  const auto want = [&](ompt_callbacks_t event, auto* callback) {
    set(event, reinterpret_cast<ompt_callback_t>(callback));
  };
  want(ompt_callback_parallel_begin, parallel_begin);
  want(ompt_callback_implicit_task, implicit_task);
  want(ompt_callback_sync_region, sync_region);
  want(ompt_callback_reduction, reduction);
  want(ompt_callback_task_create, task_create);
  want(ompt_callback_task_schedule, task_schedule);
  return 1;
}

void finalize(ompt_data_t*) {}

}  // namespace
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
  take(runtime::name(runtime::Thing::ordered));
}
VESTIGE_INTERPOSE_LATE(void, __kmpc_end_ordered, (void* where, int thread)) {
  give(runtime::name(runtime::Thing::ordered));
  VESTIGE_REAL(__kmpc_end_ordered)(where, thread);
}
VESTIGE_INTERPOSE_LATE(void, __kmpc_doacross_wait, (void* where, int thread, const int64_t* at)) {
  VESTIGE_REAL(__kmpc_doacross_wait)(where, thread, at);
  take(runtime::name(runtime::Thing::ordered, 1));
}
VESTIGE_INTERPOSE_LATE(void, __kmpc_doacross_post, (void* where, int thread, const int64_t* at)) {
  give(runtime::name(runtime::Thing::ordered, 1));
  VESTIGE_REAL(__kmpc_doacross_post)(where, thread, at);
}
// libomp hands the memory of tasks that are over to other threads by itself. A task begins with the pointer to
// what it shares with the one that made it.
VESTIGE_INTERPOSE_LATE(void*, __kmpc_omp_task_alloc,
                       (void* where, int thread, int flags, size_t bytes, size_t shared_bytes,
                        void* entry)) {
  void* task =
      VESTIGE_REAL(__kmpc_omp_task_alloc)(where, thread, flags, bytes, shared_bytes, entry);
  tell_allocated(task, bytes);
  if (task != nullptr && shared_bytes != 0)
    tell_allocated(*static_cast<void**>(task), shared_bytes);
  return task;
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
