// The order of conflicting accesses, for recordings that ask for it (`vestige record --order`).
//
// Memory is looked at in granules of 8 aligned bytes. Two accesses of different threads conflict when they touch
// one granule and at least one of them writes. Each granule has a cell: a lock, who wrote it last and who
// read it since. Whoever accesses memory takes the locks of its granules, by rising address, notes itself
// there, does the access, and lets go: so what the cells say is the order in which the accesses took place.
//
// An access that finds another thread's conflicting one in a cell comes behind it. That is told unless it
// follows already: each thread knows, of each other one, up to where that one's accesses come before its own. It
// learns that from what it tells, and from stamps (sync.h): whatever a thread did before it took a stamp comes before
// everything that others do behind a later one. After Netzer (1993), but for what others knew, which is
// left to the collector (record/collect/order_log.h): it would need a clock for each cell.
//
// A position is the number of a thread's path and the how-manyth access of that path it is. Numbers rise, the
// numbers of statements need not: a path may take blocks in any order.
//
// Invariants:
// 1. A cell is read and written only by who has its lock.
// 2. A thread has locks only between __vestige_order_begin and __vestige_order_end, where it waits for no
//    one else's but those of higher addresses; so there is no circle. What it has is named in `held` before it is
//    taken, and a thread that jumped away (siglongjmp out of a handler) lets go at its next access.
// 3. Whoever finds a lock taken waits, for ever unless the one who has it runs a signal handler: that
//    handler may wait for the very thread that wants the lock. Then the access goes on without its place, and
//    says so (kOrderLost).
//
// Nothing is done before the program makes its first thread. Signal handlers run code that tells no order.
#pragma once

#include "record/runtime/threads.h"

namespace vestige::runtime {

// The thread has its ring of values: from now on it tells the order, when that is asked for.
void begin_order(ThreadState* state);
// In the child of a fork: nobody else is there, and nothing has been accessed.
void restart_order(ThreadState* state);
void end_order(ThreadState* state);
// This thread, at this moment, took this stamp.
void order_stamped(ThreadState* state, uint64_t stamp);
// How many handlers run in this thread now.
void order_depth(ThreadState* state);

}  // namespace vestige::runtime
