// Threads that the program makes: the creator's ring names the new thread, and the new thread's
// ring names its creator and the time. std::thread and thread pools come through here as well.
// The new thread's state is allocated by its creator, and serves as the start routine's argument.
// Without a session too: a thread that has its sink from the start is never struck by a signal
// between its first look at __vestige_thread and its first append.

#include <pthread.h>
#include <threads.h>

#include "record/runtime/heap.h"
#include "record/runtime/interpose.h"

namespace vestige::runtime {
namespace {

// glibc puts what pthread_self() points to, and the thread's static variables, at the upper end of
// the stack.
constexpr uint64_t kDescriptorBytes = 4096;

// The stack may have been another thread's.
void tell_stack(uint64_t bytes) {
  const uint64_t top = pthread_self() + kDescriptorBytes;
  bytes += kDescriptorBytes;
  if (bytes < top) tell_allocated(reinterpret_cast<void*>(top - bytes), bytes);
}

uint64_t stack_bytes_of(const pthread_attr_t* attributes) {
  size_t bytes = 0;
  if (attributes != nullptr) {
    pthread_attr_getstacksize(attributes, &bytes);
    return bytes;
  }
  pthread_attr_t standard;
  if (pthread_attr_init(&standard) != 0) return 0;
  pthread_attr_getstacksize(&standard, &bytes);
  pthread_attr_destroy(&standard);
  return bytes;
}

// Both libraries' threads: Result is void* for pthreads and int for C11.
template <typename Result>
Result begin_thread(void* argument) {
  ThreadState* state = static_cast<ThreadState*>(argument);
  auto start = reinterpret_cast<Result (*)(void*)>(state->start);
  void* start_argument = state->argument;
  const uint64_t stack_bytes = state->stack_bytes;
  quiet = state->quiet;
  adopt_thread_state(state);
  tell_stack(stack_bytes);
  return start(start_argument);
}

// In the order of synchronization too. `stamp` 0: taken now.
void write_thread_event(protocol::EventKind kind, pthread_t thread, uint64_t stamp) {
  RingWriter* writer = current_writer(this_thread());
  if (writer == nullptr) return;
  uint32_t payload[2] = {static_cast<uint32_t>(thread), static_cast<uint32_t>(thread >> 32)};
  write_event(*writer, kind, payload, 2);
  using protocol::SyncKind;
  tell_sync(
      *writer,
      kind == protocol::EventKind::thread_create ? SyncKind::thread_create : SyncKind::thread_join,
      reinterpret_cast<const void*>(thread), stamp == 0 ? take_stamp() : stamp);
}

void thread_joined(pthread_t thread) {
  write_thread_event(protocol::EventKind::thread_join, thread, 0);
}

// The state of a thread to be; null when there is no memory for it.
ThreadState* prepare_thread(void* start, void* argument, const pthread_attr_t* attributes,
                            uint64_t& stamp) {
  several_threads.store(true, std::memory_order_relaxed);
  RingOrigin parent = current_origin(attached_writer());
  ThreadState* state = allocate_thread_state();
  if (state == nullptr) return nullptr;
  state->start = start;
  state->argument = argument;
  state->parent = parent;
  if (parent.ring != kNoRing)
    state->parent.made = 1 + session.processes[session.process].threads_made.fetch_add(1);
  state->stack_bytes = stack_bytes_of(attributes);
  state->quiet = quiet != 0;
  if (!state->quiet) count_thread(state);
  // The new thread's operations come behind its creation; its handle is known only later.
  stamp = parent.ring == kNoRing ? 0 : take_stamp();
  return state;
}

void thread_made(ThreadState* state, uint64_t stamp, bool made, const pthread_t* thread) {
  if (made) {
    write_thread_event(protocol::EventKind::thread_create, *thread, stamp);
  } else {
    uncount_thread(state);
    release_thread_state(state);
  }
}

}  // namespace
}  // namespace vestige::runtime

using namespace vestige;
using namespace vestige::runtime;

VESTIGE_INTERPOSE(int, pthread_create,
                  (pthread_t * thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument)) {
  uint64_t stamp = 0;
  ThreadState* state = prepare_thread(reinterpret_cast<void*>(start), argument, attributes, stamp);
  if (state == nullptr) return VESTIGE_REAL(pthread_create)(thread, attributes, start, argument);
  int result = VESTIGE_REAL(pthread_create)(thread, attributes, begin_thread<void*>, state);
  thread_made(state, stamp, result == 0, thread);
  return result;
}

VESTIGE_INTERPOSE(int, thrd_create, (thrd_t * thread, int (*start)(void*), void* argument)) {
  uint64_t stamp = 0;
  ThreadState* state = prepare_thread(reinterpret_cast<void*>(start), argument, nullptr, stamp);
  if (state == nullptr) return VESTIGE_REAL(thrd_create)(thread, start, argument);
  int result = VESTIGE_REAL(thrd_create)(thread, begin_thread<int>, state);
  thread_made(state, stamp, result == thrd_success, thread);
  return result;
}

VESTIGE_INTERPOSE(int, thrd_join, (thrd_t thread, int* value)) {
  int result = VESTIGE_REAL(thrd_join)(thread, value);
  if (result == thrd_success) thread_joined(thread);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_join, (pthread_t thread, void** value)) {
  int result = VESTIGE_REAL(pthread_join)(thread, value);
  if (result == 0) thread_joined(thread);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_tryjoin_np, (pthread_t thread, void** value)) {
  int result = VESTIGE_REAL(pthread_tryjoin_np)(thread, value);
  if (result == 0) thread_joined(thread);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_timedjoin_np,
                  (pthread_t thread, void** value, const timespec* until)) {
  int result = VESTIGE_REAL(pthread_timedjoin_np)(thread, value, until);
  if (result == 0) thread_joined(thread);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_clockjoin_np,
                  (pthread_t thread, void** value, clockid_t clock, const timespec* until)) {
  int result = VESTIGE_REAL(pthread_clockjoin_np)(thread, value, clock, until);
  if (result == 0) thread_joined(thread);
  return result;
}
