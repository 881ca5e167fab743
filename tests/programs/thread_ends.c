// thread_ends HOW: the ways in which threads end before, with and after main.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <threads.h>
#include <time.h>

#include "tally.h"

static sem_t ready;

NOINLINE static int leaf(int x) {
  CALLED();
  return x + 1;
}

static void cleanup(void* argument) {
  CALLED();
  leaf((int)(long)argument);
}

static void* waits(void* argument) {
  CALLED();
  pthread_cleanup_push(cleanup, argument);
  sem_post(&ready);
  for (;;) pause();
  pthread_cleanup_pop(0);
  return NULL;
}

static void* spins(void* argument) {
  CALLED();
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_cleanup_push(cleanup, argument);
  sem_post(&ready);
  for (volatile long i = 0;; ++i) {
    if (i % 3 == 0) i += 2;
  }
  pthread_cleanup_pop(0);
  return NULL;
}

static void* exits_inside(void* argument) {
  CALLED();
  leaf(1);
  pthread_cleanup_push(cleanup, argument);
  if (argument != NULL) pthread_exit(argument);
  pthread_cleanup_pop(0);
  return NULL;
}

static void* outlives_main(void* argument) {
  CALLED();
  struct timespec moment = {0, 20000000};
  for (int i = 0; i < 10; ++i) {
    nanosleep(&moment, NULL);
    leaf(i);
  }
  return argument;
}

static void* ends_process(void* argument) {
  CALLED();
  leaf(1);
  exit((int)(long)argument);
}

static void* never_ends(void* argument) {
  CALLED();
  sem_post(&ready);
  for (;;) leaf(1);
  return argument;
}

static pthread_key_t key;
static void key_destructor(void* value) {
  CALLED();
  long left = (long)value;
  if (left > 1) pthread_setspecific(key, (void*)(left - 1));
}
static void* sets_key(void* argument) {
  CALLED();
  pthread_setspecific(key, argument);
  return NULL;
}

static int c11(void* argument) {
  CALLED();
  return leaf((int)(long)argument);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  pthread_t thread;
  sem_init(&ready, 0, 0);
  if (!strcmp(how, "cancel") || !strcmp(how, "cancel_async")) {
    for (int i = 0; i < 20; ++i) {
      pthread_create(&thread, NULL, !strcmp(how, "cancel") ? waits : spins, NULL);
      sem_wait(&ready);
      pthread_cancel(thread);
      pthread_join(thread, NULL);
    }
  } else if (!strcmp(how, "pthread_exit")) {
    pthread_create(&thread, NULL, exits_inside, (void*)1);
    pthread_join(thread, NULL);
  } else if (!strcmp(how, "main_exits")) {
    pthread_create(&thread, NULL, outlives_main, NULL);
    leaf(5);
    pthread_exit(NULL);
  } else if (!strcmp(how, "exit_in_thread")) {
    pthread_create(&thread, NULL, ends_process, (void*)9);
    for (;;) pause();
  } else if (!strcmp(how, "detached")) {
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < 4; ++i) {
      pthread_create(&thread, &detached, never_ends, NULL);
      sem_wait(&ready);
    }
  } else if (!strcmp(how, "keys")) {
    pthread_key_create(&key, key_destructor);
    for (long i = 1; i <= 3; ++i) {
      pthread_create(&thread, NULL, sets_key, (void*)i);
      pthread_join(thread, NULL);
    }
  } else if (!strcmp(how, "c11")) {
    thrd_t c11_thread;
    int result;
    thrd_create(&c11_thread, c11, (void*)3);
    thrd_join(c11_thread, &result);
    return result;
  }
  leaf(6);
  return 0;
}
