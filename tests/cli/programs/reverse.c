// A race on `x` that takes the lock the other way round: the second thread's section has to come first. The pipe,
// which is not synchronization, makes it come last in every run.
#include <pthread.h>
#include <unistd.h>

static int x, z;
static int ends[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
  char c = 0;
  pthread_mutex_lock(&lock);
  x = 1;
  pthread_mutex_unlock(&lock);
  return write(ends[1], &c, 1) == 1 ? unused : 0;
}

static void *second(void *unused) {
  char c;
  if (read(ends[0], &c, 1) != 1) return unused;
  pthread_mutex_lock(&lock);
  z = 1;
  pthread_mutex_unlock(&lock);
  x = 2;
  return unused;
}

int main(void) {
  pthread_t a, b;
  if (pipe(ends) != 0) return 1;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
