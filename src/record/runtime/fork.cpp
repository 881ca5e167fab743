// fork() runs our atfork handlers, whoever calls it; _Fork() runs none, so it is interposed as
// well (not in static programs). Signals stay blocked from before the fork until the child has
// switched: a handler in between would write to the parent's rings. vfork and clone with shared
// memory need nothing: the child appends to the stream of the thread that waits for it.

#include "record/runtime/fork.h"

#include <pthread.h>
#include <unistd.h>

#include "record/runtime/atomics.h"
#include "record/runtime/barriers.h"
#include "record/runtime/exit.h"
#include "record/runtime/fatal.h"
#include "record/runtime/interpose.h"
#include "record/runtime/order.h"
#include "record/runtime/threads.h"
#include "record/runtime/values.h"

namespace vestige::runtime {

using namespace protocol;

namespace {

// Of the forking thread, between prepare and parent or child.
constinit thread_local uint64_t mask_before = 0;

void before_fork() {
  uint64_t all = ~uint64_t{0};
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, word_of(&all), word_of(&mask_before), sizeof all);
  if (RingWriter* writer = current_writer(this_thread())) {
    write_event(*writer, EventKind::forking);
  }
}

void restore_mask() {
  uint64_t mask = mask_before;
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, word_of(&mask), 0, sizeof mask);
}

// Code that a handler interrupted may hold a pointer into the parent's ring in a register. The
// child gets private memory at that place; there it goes on, unrecorded.
void cover(RingWriter& writer) {
  if (writer.entry == nullptr) return;
  map_memory(writer.memory, kRingBytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  forbid_ring(writer.index);
  writer.entry = nullptr;
}

void switch_rings(ThreadState* state) {
  RingWriter* current = current_writer(state);
  if (current != nullptr) {
    RingOrigin parent = current_origin(current);
    RingKind kind = current == &state->writer ? RingKind::thread : RingKind::handler;
    if (recording() && claim(*current, kind, parent, Patience::wait)) {
      move_to(current->piece(), current->limit());
    } else {
      current->entry = nullptr;
      move_to_sink(state);
    }
  }
  // The shadow is the child's own copy, so its values go on where the parent's were. A handler's
  // would begin in the middle of a run: they are not told.
  if (state->depth == 0 && state->writer.entry != nullptr) {
    move_values(state->values, state->writer);
    restart_order(state);
  } else {
    tell_nothing();
  }
  for (uint32_t i = 0; i <= kMaxHandlerDepth; ++i) {
    RingWriter& writer = i == 0 ? state->writer : state->handlers[i - 1].writer;
    RingWriter& values = i == 0 ? state->values : state->handlers[i - 1].values;
    if (i < state->depth) {
      cover(writer);
      cover(values);
    } else if (i > state->depth) {
      writer.entry = nullptr;
      values.entry = nullptr;
    } else if (i > 0) {
      values.entry = nullptr;
    }
  }
}

void after_fork_in_child() {
  open_disposition_lock();
  forget_stripes(this_thread());
  count_only(this_thread());
  forget_exit();
  forget_barrier_locks();
  SessionPhase phase = session.phase.load(std::memory_order_relaxed);
  if (phase == SessionPhase::attaching) {  // another thread was at it; it is not here any more
    session.phase.store(SessionPhase::unknown, std::memory_order_relaxed);
  } else if (phase == SessionPhase::attached) {
    if (recording()) {
      const ProcessEntry& parent = session.processes[session.process];
      register_process(session.process + 1, parent.description, parent.description_size);
    }
    if (ThreadState* state = this_thread()) switch_rings(state);
  }
  restore_mask();
}

void write_fork_event(pid_t child) {
  RingWriter* writer = child > 0 ? current_writer(this_thread()) : nullptr;
  if (writer == nullptr) return;
  uint32_t payload = static_cast<uint32_t>(child);
  write_event(*writer, EventKind::fork, &payload, 1);
}

}  // namespace

void watch_forks() { pthread_atfork(before_fork, restore_mask, after_fork_in_child); }

}  // namespace vestige::runtime

using namespace vestige::runtime;

VESTIGE_INTERPOSE(pid_t, fork, ()) {
  pid_t child = VESTIGE_REAL(fork)();
  write_fork_event(child);
  return child;
}

// In a static program libc's own fork would come through here too, and switch twice.
#ifndef VESTIGE_STATIC
VESTIGE_INTERPOSE(pid_t, _Fork, ()) {
  before_fork();
  pid_t child = VESTIGE_REAL(_Fork)();
  if (child == 0) {
    after_fork_in_child();
  } else {
    restore_mask();
    write_fork_event(child);
  }
  return child;
}
#endif
