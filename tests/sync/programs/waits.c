// Condition variables, barriers, semaphores and once. A queue of one item, whose numbers are the order in
// which the mutex was taken; a baton that a semaphore passes on; rounds of a barrier.
#include <semaphore.h>

#include "log.h"

enum { kThreads = 3, kItems = 300, kRounds = 200 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static long sections, item = -1, taken;
static sem_t baton;
static long passed;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static long initialized;

static void initialize(void) { ++initialized; }

static void* produce(void* argument) {
  struct log* log = new_log();
  for (long i = 0; i < kThreads * kItems; ++i) {
    pthread_mutex_lock(&mutex);
    note(log, &mutex, sections++);
    while (item >= 0) {
      pthread_cond_wait(&emptied, &mutex);
      note(log, &mutex, sections++);
    }
    item = i;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
  }
  (void)argument;
  return log;
}

static void* consume(void* argument) {
  struct log* log = new_log();
  pthread_once(&once, initialize);
  for (int i = 0; i < kItems; ++i) {
    pthread_mutex_lock(&mutex);
    note(log, &mutex, sections++);
    while (item < 0) {
      pthread_cond_wait(&filled, &mutex);
      note(log, &mutex, sections++);
    }
    item = -1;
    ++taken;
    pthread_cond_broadcast(&emptied);
    pthread_mutex_unlock(&mutex);
  }
  for (int i = 0; i < kRounds; ++i) {
    sem_wait(&baton);
    note(log, &baton, passed++);
    sem_post(&baton);
    pthread_barrier_wait(&barrier);
  }
  (void)argument;
  return log;
}

int main(void) {
  sem_init(&baton, 0, 1);
  pthread_barrier_init(&barrier, NULL, kThreads);
  pthread_t producer, threads[kThreads];
  pthread_create(&producer, NULL, produce, NULL);
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, consume, NULL);
  void* log;
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(threads[i], &log);
    print_log((struct log*)log);
  }
  pthread_join(producer, &log);
  print_log((struct log*)log);
  return initialized == 1 && taken == kThreads * kItems ? 0 : 1;
}
