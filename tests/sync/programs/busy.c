// busy THREADS: threads that lock and unlock for ever. A pipe tells how often they did.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile long count;

static void* run(void* argument) {
  for (;;) {
    pthread_mutex_lock(&mutex);
    if (++count % 1000 == 0) dprintf(1, "%ld\n", count);
    pthread_mutex_unlock(&mutex);
  }
  return argument;
}

int main(int argc, char** argv) {
  printf("%d\n", getpid());
  fflush(stdout);
  for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 1; --i) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
  }
  run(NULL);
}
