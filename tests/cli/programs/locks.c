// One mutex, two threads one after the other.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *times) {
  for (int i = 0; i < *(int *)times; ++i) {
    pthread_mutex_lock(&mutex);
    ++counter;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void) {
  int times = 2;
  pthread_t thread;
  pthread_create(&thread, NULL, work, &times);
  pthread_join(thread, NULL);
  work(&times);
  printf("%d\n", counter);
  return 0;
}
