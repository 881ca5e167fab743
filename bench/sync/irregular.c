// Threads that go a random way through each round of a loop, and take a lock now and then: paths that repeat
// themselves as little as can be. irregular THREADS ROUNDS: rounds of each thread; one in 1,000 takes the lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long rounds, total;

static void* work(void* seed) {
  unsigned long state = (unsigned long)seed * 2654435761u + 1;
  long sum = 0;
  for (long i = 0; i < rounds; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    if (state >> 63)
      sum += i;
    else
      sum ^= (long)state;
    if (state >> 62 & 1) sum *= 3;
    if (i % 1000 == 999) {
      pthread_mutex_lock(&lock);
      total += sum;
      pthread_mutex_unlock(&lock);
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  int count = argc > 1 ? atoi(argv[1]) : 2;
  rounds = argc > 2 ? atol(argv[2]) : 1000000;
  pthread_t threads[64];
  if (count < 1 || count > 64) return 2;
  for (long t = 0; t < count; t++) pthread_create(&threads[t], NULL, work, (void*)(t + 1));
  for (int t = 0; t < count; t++) pthread_join(threads[t], NULL);
  printf("%ld\n", total);
}
