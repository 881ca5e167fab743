// Irregular addresses, and what only one thread of three does.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { kTimes = 40000, kTable = 1 << 12 };
_Alignas(64) int table[kTable];
long seldom[64];

static void *work(void *argument) {
  uint32_t random = 7;
  long sum = 0;
  for (int i = 0; i < kTimes; ++i) {
    random = random * 1664525 + 1013904223;
    sum += (table[random >> 20] += 1);
  }
  if (argument)
    for (int i = 0; i < 64; ++i) seldom[i] = sum;
  return NULL;
}

int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < kTable; ++i) table[i] = argc * i;
  pthread_t threads[2];
  for (int t = 0; t < 2; ++t) {
    pthread_create(&threads[t], NULL, work, t ? threads : NULL);
    pthread_join(threads[t], NULL);
  }
  work(NULL);
  printf("%ld\n", seldom[0]);
  return 0;
}
