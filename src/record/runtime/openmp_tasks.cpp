// Explicit tasks of OpenMP.
//
// Undeferred ones (if(0), those in final tasks and in teams of one thread) are part of who creates
// them, and nothing is told of them. But an untied one may be left and gone on with elsewhere,
// while its creator goes on as well: it is told like a deferred one, for whose children the creator
// waits at its end.
//
// Tasks that follow each other in one thread have the same stack, and it is not the same memory to
// them: at both ends of a task the stack below libomp's frame that calls it is handed out anew, and
// so is at its beginning what libomp allocated for it.
#include "record/runtime/openmp.h"

#if __has_include(<omp-tools.h>)

#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "record/runtime/interpose.h"

namespace vestige::runtime {

constinit std::atomic<bool> tasks_deferred = false;

namespace {

// An explicit task's data; 0: nothing is told of it.
//
//   bit 0        it has dependences
//   bit 1        its creator waits for it
//   bits 2–28    while it runs: how far below the stack's upper end its frames begin, in units of 16 bytes
//   bits 29–62   its number
constexpr uint64_t kDepends = 1, kAwaited = 2;
constexpr uint32_t kFrameShift = 2, kFrameBits = 27, kNumberShift = 29, kNumberBits = 34;
constexpr uint64_t kFrameMask = ((uint64_t{1} << kFrameBits) - 1) << kFrameShift;

bool is_told(const ompt_data_t* task) {
  return task != nullptr && task->value != 0 && (task->value & kImplicit) == 0;
}
uint64_t number_of(const ompt_data_t* task) { return task->value >> kNumberShift; }

ompt_get_task_info_t task_info = nullptr;
ompt_get_task_memory_t task_memory = nullptr;

constinit thread_local uint32_t tasks_running = 0;  // told ones, on this thread's stack

// This thread's stack.
struct TaskStack {
  uint64_t low, high;
};
constinit thread_local TaskStack task_stack = {0, 0};

const TaskStack& stack_bounds() {
  if (task_stack.high != 0) return task_stack;
  task_stack.high = 1;
  pthread_attr_t attributes;
  ++quiet;  // it allocates
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* low = nullptr;
    size_t bytes = 0;
    if (pthread_attr_getstack(&attributes, &low, &bytes) == 0)
      task_stack = {word_of(low), word_of(low) + bytes};
    pthread_attr_destroy(&attributes);
  }
  --quiet;
  return task_stack;
}

void tell_stack_below(uint64_t frame) {
  // Of a stack that the program made itself nothing more is known.
  constexpr uint64_t kSomeStack = uint64_t{1} << 18;
  const TaskStack& stack = stack_bounds();
  const bool inside = stack.low < frame && frame <= stack.high;
  const uint64_t low = inside ? stack.low : frame - kSomeStack;
  tell_allocated(reinterpret_cast<void*>(low), frame - low);
}

// Where the frames of the task that runs now begin: below that of libomp's function that calls it.
uint64_t current_frame(const ompt_frame_t* of_task, void* here) {
  constexpr uint64_t kFramesOfLibomp = 256;
  const uint64_t known = of_task == nullptr ? 0 : word_of(of_task->exit_frame.ptr);
  return known != 0 ? known : word_of(here) + kFramesOfLibomp;
}

uint64_t frame_code(uint64_t frame) {
  const uint64_t units = (stack_bounds().high - frame) / 16;
  return units < uint64_t{1} << kFrameBits ? units << kFrameShift & kFrameMask : 0;
}
uint64_t kept_frame(const ompt_data_t* task, void* here) {
  const uint64_t units = (task->value & kFrameMask) >> kFrameShift;
  return units == 0 ? current_frame(nullptr, here) : stack_bounds().high - 16 * units;
}

// The thread's own variables, module by module.
constinit thread_local bool own_told = false;
int tell_own(dl_phdr_info* module, size_t, void*) {
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const auto& header = module->dlpi_phdr[i];
    if (header.p_type != PT_TLS || module->dlpi_tls_data == nullptr || header.p_memsz == 0)
      continue;
    notice(Deferred::own_first, word_of(module->dlpi_tls_data));
    notice(Deferred::own_end, word_of(module->dlpi_tls_data) + header.p_memsz);
  }
  return 0;
}

void begin_task(ompt_data_t* task, const ompt_frame_t* frame, void* here) {
  if (!own_told && memory_writer() != nullptr) {
    own_told = true;
    dl_iterate_phdr(tell_own, nullptr);
  }
  const bool first = (task->value & kFrameMask) == 0;
  const uint64_t begins = current_frame(frame, here);
  task->value = (task->value & ~kFrameMask) | frame_code(begins);
  ++tasks_running;
  take(deferred_name(Deferred::task, number_of(task)));
  if ((task->value & kDepends) != 0) take(thing_name(Thing::dependent));
  tell_stack_below(begins);
  if (!first || task_memory == nullptr) return;
  void* memory = nullptr;
  size_t bytes = 0;
  task_memory(&memory, &bytes, 0);
  // In front of it are fields that compiled code uses as well.
  constexpr uint64_t kFields = 32;
  if (memory != nullptr) tell_allocated(static_cast<uint8_t*>(memory) - kFields, bytes + kFields);
}

// It has ended, or goes on elsewhere.
void leave_task(ompt_data_t* task, bool over, void* here) {
  if (tasks_running != 0) --tasks_running;
  tell_stack_below(kept_frame(task, here));
  if (!over) return give(deferred_name(Deferred::task, number_of(task)));
  notice(Deferred::over, number_of(task));
  give(thing_name(Thing::tasks_done));
  if ((task->value & kDepends) != 0) give(thing_name(Thing::dependent));
  if ((task->value & kAwaited) != 0) notice(Deferred::waited);
}

// `taskwait depend(…)`, and what comes before a task with dependences and `if(0)`: libomp tells of
// a task that has the dependences and never begins. Tasks that the thread runs while it waits may
// wait in the same way. (Their numbers are kept here: libomp wants its own place for them to be
// empty.)
constexpr uint32_t kMostWaits = 32;
constinit thread_local uint64_t waits[kMostWaits];
constinit thread_local uint32_t waits_begun = 0;
constinit thread_local const ompt_data_t* wait_created = nullptr;

uint64_t new_task_number() { return next_number() & ((uint64_t{1} << kNumberBits) - 1); }

void begin_wait(const ompt_data_t* task) {
  wait_created = nullptr;
  if (waits_begun++ >= kMostWaits) return;
  waits[waits_begun - 1] = new_task_number();
  wait_created = task;
  give(deferred_name(Deferred::task, waits[waits_begun - 1]));
}

void end_wait() {
  const bool known = waits_begun != 0 && waits_begun-- <= kMostWaits;
  notice(known ? Deferred::met : Deferred::waited, known ? waits[waits_begun] : 0);
  take(thing_name(Thing::tasks_done));
}

void task_create(ompt_data_t* parent, const ompt_frame_t*, ompt_data_t* task, int flags,
                 int has_dependences, const void*) {
  const bool undeferred = (flags & ompt_task_undeferred) != 0;
  task->value = 0;
  if ((flags & ompt_task_taskwait) != 0) return begin_wait(task);
  wait_created = nullptr;
  if (undeferred && (flags & ompt_task_untied) == 0) return;
  tasks_deferred.store(true, std::memory_order_relaxed);
  const uint64_t number = new_task_number();
  task->value =
      number << kNumberShift | (has_dependences != 0 ? kDepends : 0) | (undeferred ? kAwaited : 0);
  give(deferred_name(Deferred::task, number));
  // libomp has tasks of its own that make those of a taskloop.
  ompt_data_t* current = nullptr;
  if (task_info != nullptr) task_info(0, nullptr, &current, nullptr, nullptr, nullptr);
  if (current != parent && is_told(current)) notice(Deferred::sibling);
}

void dependences(ompt_data_t* task, const ompt_dependence_t* all, int count) {
  if (!is_told(task) && (task == nullptr || task != wait_created)) return;
  for (int i = 0; i < count; ++i) {
    const bool every = all[i].dependence_type == ompt_dependence_type_out_all_memory ||
                       all[i].dependence_type == ompt_dependence_type_inout_all_memory;
    const bool reads = all[i].dependence_type == ompt_dependence_type_in;
    notice(reads ? Deferred::reads : Deferred::writes, every ? 0 : all[i].variable.value);
  }
}

void task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  void* here = __builtin_frame_address(0);
  switch (status) {
    case ompt_task_early_fulfill:
    case ompt_task_late_fulfill:
      tasks_deferred.store(true, std::memory_order_relaxed);
      notice(Deferred::fulfilled);
      give(thing_name(Thing::dependent));
      return give(thing_name(Thing::tasks_done));
    case ompt_taskwait_complete:
      return end_wait();
    case ompt_task_complete:
    case ompt_task_cancel:
    case ompt_task_detach:
      if (is_told(prior)) leave_task(prior, true, here);
      return;
    default:
      break;
  }
  ompt_data_t* current = nullptr;
  ompt_frame_t* frame = nullptr;
  if (task_info != nullptr) task_info(0, nullptr, &current, &frame, nullptr, nullptr);
  if (current == prior && prior != next) {
    if (is_told(prior)) leave_task(prior, false, here);
  } else if (is_told(next)) {
    begin_task(next, frame, here);
  }
}

}  // namespace

void tell_asked() {
  if (tasks_running != 0) notice(Deferred::asks);
}

void follow_tasks(ompt_function_lookup_t lookup, ompt_set_callback_t set) {
  task_info = reinterpret_cast<ompt_get_task_info_t>(lookup("ompt_get_task_info"));
  task_memory = reinterpret_cast<ompt_get_task_memory_t>(lookup("ompt_get_task_memory"));
  set(ompt_callback_task_create, reinterpret_cast<ompt_callback_t>(task_create));
  set(ompt_callback_task_schedule, reinterpret_cast<ompt_callback_t>(task_schedule));
  set(ompt_callback_dependences, reinterpret_cast<ompt_callback_t>(dependences));
}

}  // namespace vestige::runtime

#ifndef VESTIGE_STATIC

using namespace vestige;
using namespace vestige::runtime;

// libomp hands the memory of tasks that are over to other threads by itself. A task begins with the
// pointer to what it shares with the one that made it.
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

namespace vestige::runtime {
namespace {

// Of `reduction(task, …)`: the first thread that comes makes everybody's copies, the last one that
// leaves combines them, and libomp orders them by means that it does not tell. So they come and
// leave one after the other, and tell it. Somebody who waits for too long goes on all the same: the
// program may depend on it.
constinit std::atomic<bool> copies_busy = false;

class InTurn {
 public:
  InTurn() : since_(now()) {
    while (!(mine_ = !copies_busy.exchange(true, std::memory_order_acquire)) &&
           now() - since_ < kLongest)
      sched_yield();
    take(thing_name(Thing::ordered, kCopies));
  }
  ~InTurn() {
    give(thing_name(Thing::ordered, kCopies));
    if (mine_) copies_busy.store(false, std::memory_order_release);
  }
  InTurn(const InTurn&) = delete;
  InTurn& operator=(const InTurn&) = delete;

 private:
  static constexpr uint64_t kLongest = 1'000'000'000, kCopies = 2;
  static uint64_t now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
  }
  uint64_t since_;
  bool mine_ = false;
};

}  // namespace
}  // namespace vestige::runtime

VESTIGE_INTERPOSE_LATE(void*, __kmpc_taskred_modifier_init,
                       (void* where, int thread, int shared_work, int count, void* data)) {
  const InTurn turn;
  return VESTIGE_REAL(__kmpc_taskred_modifier_init)(where, thread, shared_work, count, data);
}
VESTIGE_INTERPOSE_LATE(void*, __kmpc_task_reduction_modifier_init,
                       (void* where, int thread, int shared_work, int count, void* data)) {
  const InTurn turn;
  return VESTIGE_REAL(__kmpc_task_reduction_modifier_init)(where, thread, shared_work, count, data);
}
VESTIGE_INTERPOSE_LATE(void, __kmpc_task_reduction_modifier_fini,
                       (void* where, int thread, int shared_work)) {
  const InTurn turn;
  VESTIGE_REAL(__kmpc_task_reduction_modifier_fini)(where, thread, shared_work);
}

// What these give is the thread's, and other tasks get it too, one after the other.
VESTIGE_INTERPOSE_LATE(int, omp_get_thread_num, ()) {
  tell_asked();
  auto* real = VESTIGE_REAL(omp_get_thread_num);
  return real == nullptr ? 0 : real();
}
VESTIGE_INTERPOSE_LATE(void*, __kmpc_task_reduction_get_th_data,
                       (int thread, void* group, void* data)) {
  tell_asked();
  return VESTIGE_REAL(__kmpc_task_reduction_get_th_data)(thread, group, data);
}
VESTIGE_INTERPOSE_LATE(void*, __kmpc_threadprivate_cached,
                       (void* where, int thread, void* data, size_t bytes, void*** cache)) {
  tell_asked();
  return VESTIGE_REAL(__kmpc_threadprivate_cached)(where, thread, data, bytes, cache);
}

#endif
#endif
