// busy THREADS SLOW: threads that lock and unlock for ever, and say how often they did. After SLOW times, if that is
// not 0, they take a break each time.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile long count;
static long slow;

static void* run(void* argument) {
  for (;;) {
    pthread_mutex_lock(&mutex);
    if (++count % 1000 == 0) dprintf(1, "%ld\n", count);
    const int pause = slow != 0 && count > slow;
    pthread_mutex_unlock(&mutex);
    if (pause) usleep(100);
  }
  return argument;
}

int main(int argc, char** argv) {
  printf("%d\n", getpid());
  fflush(stdout);
  if (argc < 3) return 2;
  slow = atol(argv[2]);
  for (int i = atoi(argv[1]); i > 1; --i) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
  }
  run(NULL);
}
