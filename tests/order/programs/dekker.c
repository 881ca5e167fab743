// Two threads keep each other out with plain flags, as Dekker did, and count inside. The machine may reorder a
// store and a later load, so now and then both are in: the order has to tell even that.
#include <pthread.h>

#include "gate.h"

volatile int wants[2], turn, inside;

static void* work(void* number) {
  const int me = (int)(long)number, other = 1 - me;
  pass_gate(me, 2);
  for (int i = 0; i < 20; ++i) {
    wants[me] = 1;
    for (int tries = 0; wants[other] && tries < 50; ++tries) {
      if (turn != me) {
        wants[me] = 0;
        for (int waits = 0; turn != me && waits < 50; ++waits) sched_yield();
        wants[me] = 1;
      }
      sched_yield();
    }
    inside = inside + 1;
    turn = other;
    wants[me] = 0;
  }
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return inside > 40;
}
