// A table that is filled in by whoever needs it first.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static long table[256];
static int ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void fill(void) {
  for (long i = 0; i < 256; i++) table[i] = i * i % 251;
}

static long look_up(int key) {
  if (!ready) {
    pthread_mutex_lock(&lock);
    if (!ready) {
      ready = 1;
      fill();
    }
    pthread_mutex_unlock(&lock);
  }
  return table[key];
}

static void* work(void* unused) {
  long sum = 0;
  for (int i = 0; i < 100; i++) sum += look_up(i);
  printf("%ld\n", sum);
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, 0, work, 0);
  usleep(20000);
  work(0);
  pthread_join(worker, 0);
  return 0;
}
