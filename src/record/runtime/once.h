// Attempts at an initialization that happens once, and may fail (once.cpp, guards.cpp).
#pragma once

#include <errno.h>

#include "record/runtime/sync.h"

namespace vestige::runtime {

// There was an attempt that was left.
extern std::atomic<bool> attempts_left;

// It is not complete; the result says so.
inline void tell_attempt_left(const volatile void* control) {
  attempts_left.store(true, std::memory_order_relaxed);
  if (RingWriter* writer = sync_writer()) {
    tell_sync(*writer, protocol::SyncKind::once_done, control, take_stamp(), ECANCELED);
  }
}

// What others that were left did came before.
inline void tell_attempt_begins(const volatile void* control) {
  if (!attempts_left.load(std::memory_order_relaxed)) return;
  if (RingWriter* writer = sync_writer()) {
    tell_sync(*writer, protocol::SyncKind::once, control, take_stamp(), ECANCELED);
  }
}

}  // namespace vestige::runtime
