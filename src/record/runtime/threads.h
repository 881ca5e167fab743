// What the runtime knows of one thread beside __vestige_thread, and the thread's life:
//
//     fresh ──first append / start wrapper──► attached (a ring, or a private sink for good)
//           ──last round of key destructors──► ended (a sink that all ended threads share)
//
// A thread that the runtime did not see start attaches at its first append. The word of that
// append lies in a static sink; it is moved into the ring. (Two such threads that make their first
// appends at the very same moment can swap these two words; threads made by pthread_create attach
// before they run anything.)
//
// The state is one mapping: guard page | alternate signal stack | ThreadState | private sink.
// It is made and used without malloc and without locks, so all of this is async-signal-safe but
// for arming the end-of-thread destructor.
#pragma once

#include "record/runtime/abi.h"
#include "record/runtime/events.h"

namespace vestige::runtime {

inline constexpr uint32_t kMaxHandlerDepth = 8;

// One running signal handler.
struct HandlerFrame {
  RingWriter writer;          // kept for the next handler at this depth
  RingWriter values;          // likewise; without an entry when nothing is told
  VestigeThread position;     // __vestige_thread between the runs, while `writer` has a ring
  VestigeThread interrupted;  // __vestige_thread as the signal found it
  uint64_t frame;             // stack address of the trampoline's frame
  uint64_t alternate_low;     // the alternate stack it runs on; 0, 0 for the thread's own
  uint64_t alternate_high;
};

struct OrderThread;

struct ThreadState {
  RingWriter writer;
  RingWriter values;  // without an entry when nothing is told
  HandlerFrame handlers[kMaxHandlerDepth];
  void* stripes[kMaxHandlerDepth +
                1];    // by depth: what atomic operations in progress have (atomics.h)
  OrderThread* order;  // null: the thread tells no order (order.h)
  uint32_t depth;      // handlers running now; those from kMaxHandlerDepth on run in the sink
  uint32_t end_round;
  bool armed;  // the end-of-thread destructor will run
  bool owns_alternate_stack;
  // For a thread made by the interposed pthread_create or thrd_create.
  void* start;
  void* argument;
  RingOrigin parent;
  uint64_t stack_bytes;
  bool quiet;    // sync.h
  bool counted;  // in threads_alive

  uint32_t* sink();
  uint32_t* sink_end();
};

// This thread's state; null while fresh and when ended.
ThreadState* this_thread();

// The same for a handler, which may strike a fresh thread: makes the state, attaches nothing. Null
// when the thread has ended or there is no memory. Precondition: signals are blocked.
ThreadState* state_for_handler();

// Threads that may still do something of the program's: those that it made and the first one, but
// not those of which libraries make a pool (OpenMP's workers, MPI's).
extern std::atomic<uint32_t> threads_alive;
void count_thread(ThreadState* state);
void uncount_thread(ThreadState* state);
// In a forked child there is this thread alone.
void count_only(ThreadState* state);

// Null when there is no memory.
ThreadState* allocate_thread_state();
void release_thread_state(ThreadState* state);
// For a thread that is fresh; `state` becomes its own.
void adopt_thread_state(ThreadState* state);

// Attaches this thread if it is fresh. Returns the writer that records it at this moment, a
// handler's or its own; null when nothing is recorded. Not for handlers on fresh threads.
RingWriter* attached_writer();

// The writer of what runs now, null when nothing is recorded. Attaches nothing.
RingWriter* current_writer(ThreadState* state);

// This thread goes on in its private sink.
void move_to_sink(ThreadState* state);

// Where this thread stands now, for the rings of its children.
RingOrigin current_origin(const RingWriter* writer);

// Makes the key whose destructor ends threads; once, in the constructor.
void prepare_thread_key();

}  // namespace vestige::runtime
