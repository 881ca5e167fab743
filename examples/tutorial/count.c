// Counts letters with several threads: correct, and hardly faster than one.
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 4, kLetters = 1 << 14 };
static unsigned char text[kThreads][kLetters];
static long vowels[kThreads];

static void* count(void* number) {
  const long me = (long)number;
  for (int i = 0; i < kLetters; i++)
    if (text[me][i] == 'a' || text[me][i] == 'e') vowels[me]++;
  return 0;
}

int main(void) {
  pthread_t threads[kThreads];
  for (int t = 0; t < kThreads; t++)
    for (int i = 0; i < kLetters; i++) text[t][i] = "kale and eggs "[(t + i) % 14];
  for (long t = 0; t < kThreads; t++) pthread_create(&threads[t], 0, count, (void*)t);
  long sum = 0;
  for (int t = 0; t < kThreads; t++) {
    pthread_join(threads[t], 0);
    sum += vowels[t];
  }
  printf("%ld\n", sum);
  return 0;
}
