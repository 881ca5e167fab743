// killed THREADS: threads that call work() for ever; each counts a call when it has returned. Says when it runs.
#include <pthread.h>

#include "tally.h"

NOINLINE static unsigned work(unsigned n) {
  WASTE_TIME();
  unsigned x = n;
  for (unsigned i = n % 5; i > 0; --i) x = x % 2 ? 3 * x + 1 : x / 2;
  return x;
}

static void* run(void* argument) {
  struct tally* mine = tally_find("work");
  volatile unsigned sink;
  for (unsigned i = 0;; ++i) {
    sink = work(i);
    __atomic_fetch_add(&mine->calls, 1, __ATOMIC_RELAXED);
  }
  (void)sink;
  return argument;
}

int main(int argc, char** argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 1;
  dprintf(1, "%d\n", getpid());
  for (int i = 1; i < threads; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
  }
  run(NULL);
}
