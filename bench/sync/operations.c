// operations WHAT N: two threads do N operations each and nothing else. WHAT: `own` and `shared` lock and unlock a
// mutex of their own, or one for both; `own-atomic` and `shared-atomic` add to an atomic variable; `none` computes. Says the
// nanoseconds of processor time it took per operation.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
  _Alignas(64) pthread_mutex_t mutex;
  long count;
} locks[2] = {{.mutex = PTHREAD_MUTEX_INITIALIZER}, {.mutex = PTHREAD_MUTEX_INITIALIZER}};
static struct {
  _Alignas(64) _Atomic long count;
} atomics[2];
static volatile unsigned long computed;
static long operations;
static int shared, atomic, none;

static void* run(void* argument) {
  const int mine = shared ? 0 : (int)(long)argument;
  if (none) {
    unsigned long x = 1;
    for (long i = 0; i < operations; ++i) x = x & 1 ? 3 * x + (unsigned long)i : x / 2;
    computed = x;
  } else if (atomic) {
    for (long i = 0; i < operations; ++i) atomic_fetch_add(&atomics[mine].count, 1);
  } else {
    for (long i = 0; i < operations; i += 2) {
      pthread_mutex_lock(&locks[mine].mutex);
      ++locks[mine].count;
      pthread_mutex_unlock(&locks[mine].mutex);
    }
  }
  return NULL;
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  shared = strncmp(arguments[1], "shared", 6) == 0;
  atomic = strstr(arguments[1], "atomic") != NULL;
  none = strcmp(arguments[1], "none") == 0;
  operations = atol(arguments[2]);
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, run, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("%.1f\n", 1e9 * (double)clock() / CLOCKS_PER_SEC / (2.0 * (double)operations));
  return 0;
}
