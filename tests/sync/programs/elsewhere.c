// Synchronization where recording is hard: in signal handlers, in a forked child, by threads that are
// cancelled while they wait, with a robust mutex whose owner died.
#define _GNU_SOURCE
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log.h"

static sem_t posted;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, robust;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void on_signal(int signal) {
  (void)signal;
  sem_post(&posted);
}

static void unlock(void* argument) { pthread_mutex_unlock((pthread_mutex_t*)argument); }

static void* wait_for_ever(void* argument) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, &mutex);
  sem_post(&posted);
  for (;;) pthread_cond_wait(&never, &mutex);
  pthread_cleanup_pop(1);
  return argument;
}

static void* die_with(void* argument) {
  pthread_mutex_lock(&robust);
  return argument;
}

int main(void) {
  sem_init(&posted, 0, 0);
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 10; ++i) {
    raise(SIGUSR1);
    while (sem_wait(&posted) != 0) {
    }
  }

  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_ever, NULL);
  sem_wait(&posted);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);

  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &attributes);
  pthread_create(&thread, NULL, die_with, NULL);
  pthread_join(thread, NULL);
  const int died = pthread_mutex_lock(&robust);
  pthread_mutex_consistent(&robust);
  pthread_mutex_unlock(&robust);

  pthread_mutex_lock(&mutex);
  const pid_t child = fork();
  pthread_mutex_unlock(&mutex);
  if (child == 0) {
    for (int i = 0; i < 5; ++i) {
      pthread_mutex_lock(&mutex);
      pthread_mutex_unlock(&mutex);
    }
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return died == EOWNERDEAD && status == 0 ? 0 : 1;
}
