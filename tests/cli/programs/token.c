// Two threads take strict turns: each counts in a counter of its own, in the same line of memory, and in a sum of both.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

enum { kTurns = 20 };
static sem_t turn[2];
static _Alignas(64) long counters[8];
static _Alignas(64) long sum[8];

static void *work(void *argument) {
  const long me = (long)argument;
  for (int i = 0; i < kTurns; ++i) {
    sem_wait(&turn[me]);
    ++counters[me];
    ++sum[0];
    sem_post(&turn[1 - me]);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  sem_init(&turn[0], 0, 1);
  sem_init(&turn[1], 0, 0);
  for (long t = 0; t < 2; ++t) pthread_create(&threads[t], NULL, work, (void *)t);
  for (int t = 0; t < 2; ++t) pthread_join(threads[t], NULL);
  printf("%ld\n", counters[0] + counters[1] - sum[0]);
  return 0;
}
