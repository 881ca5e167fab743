// A race on `x` that takes the lock the other way round: the second thread's section has to come first. A pipe, used by naked system calls,
// which is not synchronization, makes it come last in every run.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static int x, z;
static int ends[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
  char c = 0;
  pthread_mutex_lock(&lock);
  x = 1;
  pthread_mutex_unlock(&lock);
  return syscall(SYS_write, ends[1], &c, 1) == 1 ? unused : 0;
}

static void *second(void *unused) {
  char c;
  if (syscall(SYS_read, ends[0], &c, 1) != 1) return unused;
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
