// A thread gives back the lock that another one has.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t common = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void* work(void* unused) {
  value = 1;
  pthread_mutex_unlock(&common);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_mutex_lock(&common);
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return value - 1;
}
