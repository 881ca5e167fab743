// takeover SEED: threads that use words of their own again and again, and others' in between, so that what one of them may use
// without asking is taken from it while it does. No lock orders any of it; stamps that order some come now and then.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "gate.h"

#define WORDS 150

typedef struct {
  uint64_t first, second;
} Pair;

static volatile uint64_t words[WORDS];
static Pair pairs[WORDS / 2];
static unsigned seed;

static unsigned next(unsigned* state) {
  *state = *state * 1103515245u + 12345u;
  return *state >> 16;
}

// Not inlined: a copy, not two loads and two stores.
__attribute__((noinline)) static void copy(Pair* to, const Pair* from) { *to = *from; }

static void* work(void* number) {
  const int me = (int)(long)number, count = 2 + (int)(seed % 3);
  unsigned state = seed * 31 + (unsigned)me * 7919;
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  uint64_t sum = 0;
  pass_gate(me, count);
  for (int i = 0; i < WORDS; ++i) {
    // All of them come by, some a little later.
    const int at = seed % 2 ? i : (int)(next(&state) % WORDS);
    for (unsigned again = 1 + next(&state) % 6; again != 0; --again) {
      if (next(&state) % 3 != 0) words[at] = words[at] + sum + 1;
      else sum += words[at];
      if (again == 2) copy(&pairs[at / 2], &pairs[next(&state) % (WORDS / 2)]);
      if (again == 3) pairs[at / 2].second = sum;
    }
    if (next(&state) % 64 == 0) sched_yield();
    if (next(&state) % 50 == 0) {
      pthread_mutex_lock(&own);
      pthread_mutex_unlock(&own);
    }
  }
  words[me] = sum;
  return 0;
}

int main(int argc, char** argv) {
  seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  const int count = 2 + (int)(seed % 3);
  pthread_t threads[4];
  for (long i = 0; i < count; ++i) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], 0);
  return 0;
}
