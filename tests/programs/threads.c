// threads ROUNDS: 64 threads start and end in each round; each does a little of its own.
#include <pthread.h>

#include "tally.h"

enum { kThreads = 64 };

NOINLINE static long leaf(long x) {
  CALLED();
  return x * 3 + 1;
}

NOINLINE static long nest(long depth) {
  CALLED();
  return depth == 0 ? leaf(depth) : nest(depth - 1) + leaf(depth);
}

static void* run(void* argument) {
  CALLED();
  long n = (long)argument;
  return (void*)nest(n % 50);
}

int main(int argc, char** argv) {
  long sum = 0;
  for (int round = argc > 1 ? atoi(argv[1]) : 1; round > 0; --round) {
    pthread_t threads[kThreads];
    for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, run, (void*)(i + round));
    for (int i = 0; i < kThreads; ++i) {
      void* result;
      pthread_join(threads[i], &result);
      sum += (long)result;
    }
  }
  printf("%ld\n", sum);
  return 0;
}
