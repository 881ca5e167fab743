// Rounds of a loop that begin with the path of a time at which another thread's last accesses were.
#include <pthread.h>

volatile int go = 1, x, rounds;

static void* worker(void* unused) {
  do {
    x++;
    rounds++;
  } while (go && rounds < 40);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, worker, 0);
  go = 2;
  x = 7;
  pthread_join(thread, 0);
  return 0;
}
