/* rounds USERS PARTICIPANTS ROUNDS SEED: threads go through a barrier for fewer of them than there are. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static atomic_int permits;

static void* work(void* argument) {
  unsigned r = (unsigned)(size_t)argument;
  /* Who has a permit waits; there are as many as make whole rounds. */
  while (atomic_fetch_add_explicit(&permits, -1, memory_order_relaxed) > 0) {
    pthread_barrier_wait(&barrier);
    r = r * 1664525u + 1013904223u;
    if (r >> 17 & 1) sched_yield();
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const int users = atoi(argv[1]), participants = atoi(argv[2]), rounds = atoi(argv[3]);
  pthread_t t[16];
  for (int again = 0; again < 2; again++) { /* the same memory, twice */
    pthread_barrier_init(&barrier, NULL, (unsigned)participants);
    atomic_store(&permits, participants * rounds);
    for (int i = 0; i < users; i++) pthread_create(&t[i], NULL, work, (void*)(size_t)(atoi(argv[4]) * 16 + i));
    for (int i = 0; i < users; i++) pthread_join(t[i], NULL);
    pthread_barrier_destroy(&barrier);
  }
  return 0;
}
