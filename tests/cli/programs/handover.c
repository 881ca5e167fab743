// Values that threads hand to each other: in order, and once without any.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static int given, doubled, counted, loose;
static atomic_int flag;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* worker(void* unused) {
  (void)unused;
  doubled = given * 2;
  pthread_mutex_lock(&lock);
  counted += 5;
  pthread_mutex_unlock(&lock);
  loose = 9;
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return NULL;
}

int main(void) {
  pthread_t thread;
  given = 21;
  pthread_create(&thread, NULL, worker, NULL);
  while (!atomic_load_explicit(&flag, memory_order_relaxed)) {
  }
  int seen = loose;
  pthread_mutex_lock(&lock);
  counted += 1;
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  int answer = doubled;
  int total = counted;
  printf("%d %d %d\n", answer, total, seen);
  return 0;
}
