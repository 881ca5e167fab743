// Three threads count without a lock.
#include <pthread.h>

#include "gate.h"

volatile int count;

static void* add(void* number) {
  const long me = (long)number;
  pass_gate((int)me, 3);
  for (long i = 0; i < 40 + me; ++i) {
    const int seen = count;
    if (i % 8 == me) sched_yield();
    count = seen + 1;
  }
  return 0;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], 0, add, (void*)i);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return count > 123;
}
