// Threads that all have begun when the first goes on, and no synchronization behind that: what they
// do then is ordered by nothing but chance.
#include <sched.h>

#define MOST_THREADS 8
static volatile int ready[MOST_THREADS];

static void pass_gate(int me, int threads) {
  ready[me] = 1;
  for (int other = 0; other < threads; ++other)
    while (!ready[other]) sched_yield();
}
