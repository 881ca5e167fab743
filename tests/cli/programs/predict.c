// A race on `x` that the lock hides in every run: a pipe, used by naked system calls that are not recorded, makes the
// second thread wait for the first one's unlock.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static int x, y, safe;
static int ends[2], begun[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
  char c = 0;
  if (syscall(SYS_write, begun[1], &c, 1) != 1) return unused;
  x = 1;
  pthread_mutex_lock(&lock);
  safe++;
  y++;
  pthread_mutex_unlock(&lock);
  return syscall(SYS_write, ends[1], &c, 1) == 1 ? unused : 0;
}

static void *second(void *unused) {
  char c;
  if (syscall(SYS_read, ends[0], &c, 1) != 1) return unused;
  pthread_mutex_lock(&lock);
  y = 7;
  pthread_mutex_unlock(&lock);
  x = 2;
  return unused;
}

int main(void) {
  pthread_t a, b;
  char c;
  if (pipe(ends) != 0 || pipe(begun) != 0) return 1;
  pthread_create(&a, 0, first, 0);
  if (syscall(SYS_read, begun[0], &c, 1) != 1) return 1;
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
