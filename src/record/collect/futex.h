// Sleeping on, and waking, a word of shared memory.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>

#include "record/protocol.h"

namespace vestige {

// Returns when woken, when the word is no longer `seen`, on a signal, or after `milliseconds`.
inline void futex_wait(protocol::Futex& word, uint32_t seen, unsigned milliseconds) {
  const timespec timeout{milliseconds / 1000, static_cast<long>(milliseconds % 1000) * 1'000'000};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, &timeout, nullptr, 0);
}

inline void futex_wake_all(protocol::Futex& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace vestige
