// Two threads count, each in a place of its own beside the other's; a lock that has nothing to do with that
// lets them run at the same time (0), or one after the other (1, 2).
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static _Alignas(256) struct { int first, second; } near;
static _Alignas(256) struct { int early, late; } apart;
static _Alignas(256) int done[3];
static _Alignas(256) char end[256];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int waits;

static void *count(void *argument) {
  const int me = *(int *)argument;
  for (int ready = waits != me; !ready;) {
    pthread_mutex_lock(&lock);
    ready = done[3 - me];
    pthread_mutex_unlock(&lock);
    sched_yield();
  }
  for (int i = 0; i < 3; i++) ++*(me == 1 ? &near.first : &near.second);
  if (me == 1) apart.early++;
  pthread_mutex_lock(&lock);
  done[me] = 1;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(int argc, char **argv) {
  int numbers[2] = {1, 2};
  pthread_t threads[2];
  waits = atoi(argv[argc - 1]);
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, count, &numbers[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  apart.late++;
  return end[0];
}
