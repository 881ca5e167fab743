/* Threads with few paths beside threads whose loop goes round for long, from the time on at which one of the others ended. Who reads one thread
   after the other must not take the last accesses of the one for the first of the next. All loops race with each other; nothing else does. */
#include <pthread.h>

enum { kMost = 10, kRounds = 100 };
static volatile int own[kMost][16], loops[kRounds];

static void* few(void* argument) {
  long k = (long)argument;
  for (int i = 0; i <= k; i++) own[k][0] = i;
  return NULL;
}

static void* many(void* unused) {
  (void)unused;
  for (int i = 0; i < kRounds; i++) loops[i] = i;
  return NULL;
}

int main(void) {
  pthread_t thread[2 * kMost];
  for (long k = 0; k < kMost; k++) {
    pthread_create(&thread[2 * k], NULL, few, (void*)k);
    pthread_create(&thread[2 * k + 1], NULL, many, NULL);
  }
  for (int i = 0; i < 2 * kMost; i++) pthread_join(thread[i], NULL);
  return 0;
}
