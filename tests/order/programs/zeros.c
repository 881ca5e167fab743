// Threads that read and write a few shared words in no order that anybody sees: all of them are 0 for ever, so any
// order of these accesses might have been.
#include <pthread.h>

#include "gate.h"

volatile long a, b, c;
volatile char bytes[8];

static void* work(void* number) {
  const int me = (int)(long)number;
  pass_gate(me, 3);
  for (int i = 0; i < 30; ++i) {
    const long seen = a + b + bytes[i % 8];
    b = seen;
    if (i % 3 == me) c = a;
    a = seen + c;
    *(volatile int*)(bytes + i % 5) = (int)seen;
  }
  return 0;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return (int)a;
}
