// When memory changes hands: what one thread frees, another may get, and nothing else that is
// recorded orders the two. Told of full recordings, from the first thread on that the program
// makes.
#pragma once

#include <atomic>

#include "record/runtime/sync.h"

namespace vestige::runtime {

extern std::atomic<bool> several_threads;

// Where such things are told; null where they are not.
inline RingWriter* memory_writer() {
  if (!several_threads.load(std::memory_order_relaxed)) return nullptr;
  ThreadState* state = this_thread();
  return state == nullptr || state->values.entry == nullptr ? nullptr : sync_writer();
}

// This thread got so many bytes just now.
inline void tell_allocated(const volatile void* object, uint64_t bytes) {
  if (object == nullptr || bytes == 0) return;
  if (RingWriter* writer = memory_writer()) {
    tell_sync_with(*writer, protocol::SyncKind::allocated, object, word_of(object) + bytes);
  }
}

// It is about to give them back.
inline void tell_freed(const volatile void* object) {
  if (object == nullptr) return;
  if (RingWriter* writer = memory_writer()) {
    tell_sync(*writer, protocol::SyncKind::freed, object, take_stamp());
  }
}

}  // namespace vestige::runtime
