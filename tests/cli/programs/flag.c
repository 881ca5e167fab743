// One thread works, then raises a flag; the other looks until it is up.
#include <pthread.h>
#include <stdatomic.h>

static int work[1000];
static atomic_int flag;

static void *first(void *unused) {
  for (int i = 0; i < 1000; ++i) work[i] += i;
  atomic_store(&flag, 1);
  return unused;
}

static void *second(void *unused) {
  while (!atomic_load(&flag));
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  for (int t = 0; t < 2; ++t) pthread_join(threads[t], 0);
  return 0;
}
