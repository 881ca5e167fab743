// Locks of every kind, taken in every way. Each critical section takes the lock's next number.
#include <errno.h>
#include <sched.h>
#include <threads.h>
#include <time.h>

#include "log.h"

enum { kThreads = 4, kRounds = 600 };

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, recursive, strict;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static mtx_t c11;
static long plain_count, recursive_count, strict_count, shared_count, spin_count, c11_count;
static long refused;
static pthread_barrier_t start;

static struct timespec soon(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_sec += 100;
  return t;
}

// Others may come by while the lock is held.
static void had(struct log* log, const volatile void* lock, long number) {
  note(log, lock, number);
  if (log->used % 5 == 0) sched_yield();
}

static void round_of(struct log* log, int i) {
  const struct timespec until = soon();
  switch (i % 3) {
    case 0: pthread_mutex_lock(&plain); break;
    case 1: while (pthread_mutex_trylock(&plain) != 0) sched_yield(); break;
    default: pthread_mutex_timedlock(&plain, &until);
  }
  had(log, &plain, plain_count++);
  pthread_mutex_unlock(&plain);

  pthread_mutex_lock(&recursive);
  had(log, &recursive, recursive_count++);
  pthread_mutex_lock(&recursive);
  had(log, &recursive, recursive_count++);
  pthread_mutex_unlock(&recursive);
  pthread_mutex_unlock(&recursive);

  const int error = pthread_mutex_unlock(&strict);
  pthread_mutex_lock(&strict);
  refused += error == EPERM;
  had(log, &strict, strict_count++);
  pthread_mutex_unlock(&strict);

  pthread_spin_lock(&spin);
  had(log, &spin, spin_count++);
  pthread_spin_unlock(&spin);

  if (i % 2) mtx_lock(&c11);
  else mtx_timedlock(&c11, &until);
  had(log, &c11, c11_count++);
  mtx_unlock(&c11);

  // Writers count; readers tell the number of writes they see, as a negative number.
  switch (i % 6) {
    case 0: pthread_rwlock_wrlock(&shared); break;
    case 1: while (pthread_rwlock_trywrlock(&shared) != 0) sched_yield(); break;
    case 2: pthread_rwlock_timedwrlock(&shared, &until); break;
    case 3: pthread_rwlock_rdlock(&shared); break;
    case 4: while (pthread_rwlock_tryrdlock(&shared) != 0) sched_yield(); break;
    default: pthread_rwlock_timedrdlock(&shared, &until);
  }
  had(log, &shared, i % 6 < 3 ? shared_count++ : -1 - shared_count);
  pthread_rwlock_unlock(&shared);
}

static void* run(void* argument) {
  struct log* log = new_log();
  pthread_barrier_wait(&start);
  for (int i = 0; i < kRounds; ++i) round_of(log, i + (int)(long)argument);
  return log;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&strict, &attributes);
  pthread_spin_init(&spin, 0);
  mtx_init(&c11, mtx_timed);
  pthread_barrier_init(&start, NULL, kThreads);
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, run, (void*)i);
  for (int i = 0; i < kThreads; ++i) {
    void* log;
    pthread_join(threads[i], &log);
    print_log((struct log*)log);
  }
  printf("refused %ld\n", refused);
  return 0;
}
