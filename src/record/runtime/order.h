// The order of conflicting accesses, for recordings that ask for it (`vestige record --order`).
//
// Memory is looked at in granules of 8 aligned bytes. Two accesses of different threads conflict
// when they touch one granule and at least one of them writes. Each granule has a cell: a lock, and
// the marks of who wrote it last and who read it since. Whoever accesses memory takes the locks of
// its granules, by rising address, notes itself there, does the access, and lets go: so what the
// cells say is the order in which the accesses took place.
//
// An access that finds another thread's conflicting one in a cell comes behind it. That is told
// unless it follows already: each thread knows, of each other one, up to where that one's accesses
// come before its own. It learns that from what it tells, and from stamps (sync.h): whatever a
// thread did before it took a stamp comes before everything that others do behind a later one.
// After Netzer (1993), but for what others knew, which is left to the collector
// (record/collect/order_log.h): it would need a clock for each cell.
//
// A position is the number of a thread's path and the how-manyth access of that path it is. Numbers
// rise, the numbers of statements need not: a path may take blocks in any order.
//
// Most accesses take no lock. A *segment* is what a thread does between two of its stamps. Who has left its mark in a cell has a
// *right* to the granule until its segment ends, to read it, or to read and write it: an entry in a table of its own, which
// it looks up, writes its position beside, and goes on. Its mark then says where it began to use the granule in that segment, not where
// it did so last. Who comes from another thread and conflicts with the mark finds, under the lock,
// - that it knows of the segment's end by stamps: nothing is to tell;
// - that the segment is over, but no stamp says so: it comes behind the last use, which stands in the other thread's table;
// - that the segment is open: they race. It takes the rights away and waits until their owners are in no access that
//   they looked them up for (order_rights.cpp). From then on the cell is *contested*: nobody gets rights to it, and marks are exact.
// Where the table had to give the last use's place to another granule, that access stands for it:
// it came later, so that is more than was asked for, and true. What orders the look at a right
// behind the word that says "in an access" is a barrier that only who takes rights away pays for
// (membarrier, as in biased locks). Without that system call, or without AVX, there are no rights,
// and every access takes the locks of its granules. `vestige record --order` does so anywhere when
// VESTIGE_ORDER_BY_LOCKS is set in its environment.
//
// Invariants:
// 1. A cell is read and written only by who has its lock. Every right of an open segment has its mark in the cell.
// 2. A thread has locks only between __vestige_order_begin and __vestige_order_end, where it waits for no
//    one else's but those of higher addresses; so there is no circle. What it has is named in `held` before it is
//    taken, and a thread that jumps away (siglongjmp out of a handler) lets go.
// 3. Whoever finds a lock taken waits, for ever unless the one who has it runs a signal handler: that
//    handler may wait for the very thread that wants the lock. Then the access goes on without its place, and
//    says so (kOrderLost). So does who waits for the end of another thread's access; nobody waits for a cell within one.
//
// Nothing is done before the program makes its first thread. Signal handlers run code that tells no
// order.
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
// A handler left this thread's code by a jump, perhaps in the middle of an access: it lets go. And
// then, when the path that was left is written off: how far it had come.
void order_left(ThreadState* state);
void order_abandoned(ThreadState* state);

}  // namespace vestige::runtime
