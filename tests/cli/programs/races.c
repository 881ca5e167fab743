#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

// With a word on the command line the reader starts when the writer is done, told through a pipe by
// naked system calls: one order in every run, and no synchronization that is recorded.
static int done[2];
static int table[4], chosen, counter, safe;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, locks[2];

static void *writer(void *unused) {
  chosen = 1;
  table[1] = 7;
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&lock);
    safe++;
    pthread_mutex_unlock(&lock);
  }
  counter = 5;
  return syscall(SYS_write, done[1], "", 1) == 1 ? unused : 0;
}

static int look(void) { return counter; }

static void *reader(void *unused) {
  int x = chosen | 1;
  pthread_mutex_lock(&locks[1]);
  int sum = table[x] + look();
  pthread_mutex_unlock(&locks[1]);
  return sum ? unused : 0;
}

int main(int count, char **words) {
  pthread_t a, b;
  pthread_mutex_init(&locks[1], 0);
  char byte;
  if (pipe(done)) return 1;
  pthread_create(&a, 0, writer, 0);
  if (count == 1) pthread_join(a, 0);
  if (syscall(SYS_read, done[0], &byte, 1) != 1) return 1;
  pthread_create(&b, 0, reader, 0);
  if (count > 1) pthread_join(a, 0);
  pthread_join(b, 0);
  (void)words;
  return 0;
}
