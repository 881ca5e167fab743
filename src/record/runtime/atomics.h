// Atomic operations of recorded code, stamped in the order in which they took place at their
// location.
//
// The pass puts a call before and one behind each operation. In between the thread has the location's
// stripe, a lock that it shares with few others, so operation and stamp are one. Invariants:
// 1. A thread has at most one stripe per depth of handlers. ThreadState::stripes names it before it is
//    taken, and the stripe names that place while it is.
// 2. Whoever interrupts and never returns (a jump out of a handler, the thread's end, a fork) lets go of
//    what the interrupted code had.
// 3. Nobody waits for ever: a handler may have interrupted the one who has the stripe, and wait for the very
//    thread that wants it. After kPatience tries the operation goes on without it and says so
//    (kUnordered).
#pragma once

#include "record/runtime/sync.h"

namespace vestige::runtime {

// In the result of an atomic operation: bits 0–3 the memory order, 4–7 that of a compare-exchange
// that failed, and
inline constexpr int kNotStored = 1 << 8;  // the compare-exchange failed
inline constexpr int kUnordered = 1 << 9;  // its stamp does not say where it stands at its location

// The code at this depth never goes on.
void let_go(ThreadState* state, uint32_t depth);
// In the child: those who had stripes are not there.
void forget_stripes(ThreadState* state);

}  // namespace vestige::runtime
