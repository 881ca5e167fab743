// When memory changes hands: what one thread frees, another may get, and nothing else that is
// recorded orders the two. And when what lies in it begins and ends to be something to synchronize
// with: a mutex that is initialized anew knows nothing of what went before. Told of full
// recordings, from the first thread on that the program makes, or its first region of OpenMP.
#pragma once

#include <malloc.h>

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

// A block of the heap, with what the allocator rounded it up by: the same bytes are given back.
inline void tell_block(void* block) {
  if (block == nullptr || memory_writer() == nullptr) return;
  tell_allocated(block, malloc_usable_size(block));
}

// It is about to give them back; how many, in units of 8 as far as there is room for the number.
inline void tell_freed(void* object) {
  if (object == nullptr) return;
  if (RingWriter* writer = memory_writer()) {
    constexpr uint64_t kMost = (1 << 24) - 1;
    const uint64_t units = malloc_usable_size(object) / 8;
    tell_sync(*writer, protocol::SyncKind::freed, object, take_stamp(),
              static_cast<int>(units < kMost ? units : kMost));
  }
}

// A mutex, a condition variable … was initialized just now, or destroyed.
inline void tell_object_begins(const volatile void* object) {
  if (RingWriter* writer = memory_writer()) {
    tell_sync(*writer, protocol::SyncKind::object_begins, object, take_stamp());
  }
}
inline void tell_object_ends(const volatile void* object) {
  if (RingWriter* writer = memory_writer()) {
    tell_sync(*writer, protocol::SyncKind::object_ends, object, take_stamp());
  }
}

}  // namespace vestige::runtime
