#include "record/runtime/threads.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>

#include "record/runtime/atomics.h"
#include "record/runtime/handlers.h"
#include "record/runtime/order.h"
#include "record/runtime/values.h"

namespace {

// What inline code writes before it asks whether there is room for more: a run.
constexpr uint32_t kMostInlineWords = 8;
constexpr uint32_t kFirstSinkWords = 16;
constexpr uint32_t kEndedSinkWords = 1024;
// Entry times taken before the thread is attached are at least kFreshBias / 4: no real time is.
constexpr uint64_t kFreshBias = uint64_t{1} << 62;

alignas(64) uint32_t first_sink[kFirstSinkWords];
alignas(64) uint32_t ended_sink[kEndedSinkWords];

}  // namespace

extern "C" constinit thread_local VestigeThread __vestige_thread = {
    .next = first_sink,
    .limit = first_sink,
    .origin = kFreshBias,
    .mode = kVestigeUndecided,
    .shadow = nullptr,
    .callee = 0,
    .ack = 0,
    .values_next = nullptr,
    .values_limit = nullptr,
    .rounding = 0,
};

namespace vestige::runtime {

using namespace protocol;

constinit std::atomic<uint32_t> threads_alive = 0;

void count_thread(ThreadState* state) {
  if (state->counted) return;
  state->counted = true;
  threads_alive.fetch_add(1, std::memory_order_relaxed);
}

void uncount_thread(ThreadState* state) {
  if (!state->counted) return;
  state->counted = false;
  threads_alive.fetch_sub(1, std::memory_order_release);
}

void count_only(ThreadState* state) {
  threads_alive.store(state != nullptr && state->counted ? 1 : 0, std::memory_order_relaxed);
}

namespace {

constexpr uint64_t kGuardBytes = 4096;
constexpr uint64_t kAlternateStackBytes = 64 * 1024;
constexpr uint64_t kStateBytes = 8192;
constexpr uint64_t kSinkBytes = 16 * 1024;
constexpr uint64_t kStateOffset = kGuardBytes + kAlternateStackBytes;
constexpr uint64_t kMappingBytes = kStateOffset + kStateBytes + kSinkBytes;
static_assert(sizeof(ThreadState) <= kStateBytes);

constinit thread_local ThreadState* self = nullptr;
constinit thread_local bool ended = false;

pthread_key_t end_key;
std::atomic<uint32_t> end_key_phase;  // 0 none, 1 being made, 2 made, 3 cannot be had

bool fresh() {
  return !ended && __vestige_thread.next - first_sink <= 1 && __vestige_thread.next >= first_sink;
}

uint8_t* mapping_of(ThreadState* state) { return reinterpret_cast<uint8_t*>(state) - kStateOffset; }

void provide_alternate_stack(ThreadState* state) {
  stack_t present;
  if (system_call(SYS_sigaltstack, 0, word_of(&present)) != 0 ||
      (present.ss_flags & SS_DISABLE) == 0) {
    return;
  }
  stack_t mine{};
  mine.ss_sp = mapping_of(state) + kGuardBytes;
  mine.ss_size = kAlternateStackBytes;
  state->owns_alternate_stack = system_call(SYS_sigaltstack, word_of(&mine), 0) == 0;
}

// Returns whether the alternate stack's memory is this state's to unmap. Whoever disabled it may
// have unmapped it as well (the sanitizers do).
bool withdraw_alternate_stack(ThreadState* state) {
  if (!state->owns_alternate_stack) return true;
  stack_t present;
  if (system_call(SYS_sigaltstack, 0, word_of(&present)) != 0 ||
      present.ss_sp != mapping_of(state) + kGuardBytes || (present.ss_flags & SS_ONSTACK) != 0) {
    return false;
  }
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  return system_call(SYS_sigaltstack, word_of(&none), 0) == 0;
}

void end_thread(ThreadState* state) {
  SignalBlock block;
  leave_all_handlers(state);
  let_go(state, 0);
  if (state->writer.entry != nullptr) {
    settle_if_behind(state->writer);
    if (state->values.entry != nullptr) {
      tell_sync(state->writer, SyncKind::thread_exit, nullptr, take_stamp());
    }
    uint32_t exit_code = 0;
    write_event(state->writer, EventKind::thread_end, &exit_code, 1);
  }
  end_order(state);
  move_to(ended_sink, ended_sink + kEndedSinkWords - kMostInlineWords);
  uint8_t* shadow = __vestige_thread.shadow;
  tell_nothing();
  end_values(state->values, shadow);
  close(state->writer);
  for (HandlerFrame& handler : state->handlers) {
    if (handler.writer.entry != nullptr) end_values(handler.values, handler.position.shadow);
    close(handler.writer);
  }
  ended = true;
  self = nullptr;
  uncount_thread(state);
  uint8_t* mapping = mapping_of(state);
  if (withdraw_alternate_stack(state)) {
    unmap_memory(mapping, kMappingBytes);
  } else {
    unmap_memory(mapping + kStateOffset, kMappingBytes - kStateOffset);
  }
}

// Key destructors run in rounds, in no order that we could choose; the last round is ours.
void end_round(void* argument) {
  ThreadState* state = static_cast<ThreadState*>(argument);
  if (++state->end_round < PTHREAD_DESTRUCTOR_ITERATIONS) {
    pthread_setspecific(end_key, state);
  } else {
    end_thread(state);
  }
}

// The last step of attaching: it may call into the program's own calloc.
void arm(ThreadState* state) {
  if (state->armed) return;
  state->armed = true;
  int saved = errno;
  prepare_thread_key();
  if (end_key_phase.load(std::memory_order_acquire) == 2) pthread_setspecific(end_key, state);
  errno = saved;
}

// Gives a fresh thread its state and a ring or sink; what it appended already comes along.
void attach_thread() {
  {
    SignalBlock block;
    bool attached = attach_session();
    if (self == nullptr) self = allocate_thread_state();
    if (self == nullptr) {
      __vestige_thread.next = first_sink;
      return;
    }
    bool appended = __vestige_thread.next != first_sink;
    uint32_t word = first_sink[0];
    RingWriter& writer = self->writer;
    if (attached && claim(writer, RingKind::thread, self->parent, Patience::wait)) {
      uint32_t* next = writer.piece();
      if (appended) __atomic_store_n(next++, word, __ATOMIC_RELEASE);
      __vestige_thread.next = next;
      __vestige_thread.limit = writer.limit();
      __vestige_thread.origin = (appended ? 4 : 0) - word_of(next);
      begin_values(self->values, writer, Patience::wait);
      begin_order(self);
      provide_alternate_stack(self);
    } else {
      move_to_sink(self);
      tell_nothing();
    }
  }
  arm(self);
}

__attribute__((noinline)) uint32_t* full(uint32_t* next) {
  __vestige_thread.next = next;
  if (ended) {
    __vestige_thread.next = ended_sink;
  } else if (fresh() && (self == nullptr || self->depth == 0)) {
    attach_thread();
  } else if (self == nullptr) {  // no memory for a sink
    __vestige_thread.next = first_sink;
  } else if (RingWriter* writer = current_writer(self); writer == nullptr) {
    move_to_sink(self);
  } else if (!hand_over(*writer)) {
    writer->entry = nullptr;
    move_to_sink(self);
  }
  return __vestige_thread.next;
}

}  // namespace

uint32_t* ThreadState::sink() {
  return reinterpret_cast<uint32_t*>(reinterpret_cast<uint8_t*>(this) + kStateBytes);
}
uint32_t* ThreadState::sink_end() { return sink() + kSinkBytes / 4; }

ThreadState* this_thread() { return self; }

ThreadState* state_for_handler() {
  if (self == nullptr && !ended) self = allocate_thread_state();
  return self;
}

ThreadState* allocate_thread_state() {
  void* mapping = map_memory(nullptr, kMappingBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == nullptr) return nullptr;
  system_call(SYS_mprotect, word_of(mapping), kGuardBytes, PROT_NONE);
  ThreadState* state =
      reinterpret_cast<ThreadState*>(static_cast<uint8_t*>(mapping) + kStateOffset);
  state->parent.ring = kNoRing;
  return state;
}

void release_thread_state(ThreadState* state) { unmap_memory(mapping_of(state), kMappingBytes); }

void adopt_thread_state(ThreadState* state) {
  {
    SignalBlock block;
    if (self == nullptr) {
      self = state;
    } else {  // a handler ran here before; it made its own
      self->parent = state->parent;
      self->counted = state->counted;
      release_thread_state(state);
    }
  }
  attached_writer();
}

RingWriter* current_writer(ThreadState* state) {
  if (state == nullptr || state->depth > kMaxHandlerDepth) return nullptr;
  RingWriter& writer = state->depth == 0 ? state->writer : state->handlers[state->depth - 1].writer;
  return writer.entry == nullptr ? nullptr : &writer;
}

RingWriter* attached_writer() {
  if (fresh() && (self == nullptr || self->depth == 0)) attach_thread();
  return current_writer(self);
}

void move_to_sink(ThreadState* state) {
  move_to(state->sink(), state->sink_end() - kMostInlineWords);
}

RingOrigin current_origin(const RingWriter* writer) {
  if (writer == nullptr) return {};
  return {writer->index, writer->serial, paths_completed(__vestige_thread)};
}

void prepare_thread_key() {
  uint32_t phase = 0;
  if (end_key_phase.compare_exchange_strong(phase, 1)) {
    end_key_phase.store(pthread_key_create(&end_key, end_round) == 0 ? 2 : 3);
  }
}

}  // namespace vestige::runtime

using namespace vestige;
using namespace vestige::runtime;

extern "C" __attribute__((preserve_most)) uint32_t* __vestige_full(uint32_t* next) {
  return runtime::full(next);
}

extern "C" void __vestige_reannounce(uint64_t entry_time) {
  leave_handlers_above(word_of(__builtin_frame_address(0)));
  RingWriter* writer = attached_writer();
  if (writer == nullptr) return;
  settle_if_behind(*writer);
  if (entry_time >= kFreshBias / 4) entry_time = 0;
  uint32_t payload[2] = {static_cast<uint32_t>(entry_time),
                         static_cast<uint32_t>(entry_time >> 32)};
  write_event(*writer, protocol::EventKind::reannounce, payload, 2);
}
