// How threads take turns at a lock: each does some work, takes the lock, and notes whether the one before
// was another thread. Prints, of the rounds of all threads, how many changed hands, and how evenly the first half of
// the rounds was spread (the smallest share of a thread, in percent of an even one).
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 64 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t start;
static long rounds, work, done, changes, last = -1, early[kMost];
static int threads;

static void* run(void* me) {
  volatile unsigned value = 1;
  pthread_barrier_wait(&start);
  for (long i = 0; i < rounds; i++) {
    for (long k = 0; k < work; k++) value = value * 1664525 + 1013904223;
    pthread_mutex_lock(&lock);
    if (last != (long)me) changes++;
    last = (long)me;
    if (++done <= rounds * threads / 2) early[(long)me]++;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(int count, char** words) {
  threads = count > 1 ? atoi(words[1]) : 4;
  rounds = count > 2 ? atol(words[2]) : 20000;
  work = count > 3 ? atol(words[3]) : 200;
  if (threads < 1 || threads > kMost) return 2;
  pthread_t all[kMost];
  pthread_barrier_init(&start, NULL, (unsigned)threads);
  for (long t = 0; t < threads; t++) pthread_create(&all[t], NULL, run, (void*)t);
  for (int t = 0; t < threads; t++) pthread_join(all[t], NULL);
  long least = rounds;
  for (int t = 0; t < threads; t++)
    if (early[t] < least) least = early[t];
  printf("%.1f %.0f\n", 100.0 * (double)changes / (double)(rounds * threads),
         200.0 * (double)least / (double)rounds);
  return 0;
}
