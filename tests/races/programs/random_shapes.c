// Threads in shapes that random.c lacks, as the seed says: `random_shapes SEED THREADS STEPS`. Locks within locks (always in
// one order), recursive ones, read locks held twice; barriers of two that all threads use; memory that is handed out anew
// and changes hands; detached threads; a fork; and tasks of OpenMP, some of which wait for others. Nothing blocks for ever.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kMost = 8 };
static int a[64];
static char pages[2][256];
static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t again;
static pthread_rwlock_t rw[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static pthread_barrier_t two, all;
static sem_t ended;
static _Atomic(long*) handed[2];
static unsigned seed, threads, steps;

static unsigned next(unsigned* state) { *state = *state * 1664525u + 1013904223u; return *state >> 10; }

static void touch(unsigned* r) {
  unsigned k = next(r) % 64, n = 1 + next(r) % 6;
  switch (next(r) % 5) {
    case 0: for (unsigned i = k; i < 64 && i < k + n; i++) a[i]++; break;
    case 1: { volatile int sum = 0; for (unsigned i = k; i < 64; i += n) sum += a[i]; } break;
    case 2: memcpy(pages[k % 2] + k, pages[1 - k % 2] + 2 * k, n); break;
    case 3: memset(pages[k % 2] + k, (int)k, n * 4); break;
    default: a[k % 8] = (int)n; break;
  }
}

static void nested(unsigned* r, unsigned from) {
  for (; from < 3; from++) {
    if (next(r) % 2) continue;
    pthread_mutex_lock(&locks[from]);
    touch(r);
    nested(r, from + 1);
    if (next(r) % 2) touch(r);
    pthread_mutex_unlock(&locks[from]);
    return;
  }
  touch(r);
}

static void anew(unsigned* r) {
  unsigned k = next(r) % 2;
  long* mine = malloc(48);
  mine[0] = mine[next(r) % 6] = 1;
  // What was published before comes back, and may be given to anybody.
  long* other = atomic_exchange_explicit(&handed[k], mine, k ? memory_order_acq_rel : memory_order_relaxed);
  if (other) other[2]++;
  free(other);
  char* map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  map[next(r) % 4096] = 1;
  munmap(map, 4096);
}

static void* detached(void* argument) {
  unsigned r = (unsigned)(size_t)argument;
  touch(&r);
  nested(&r, 0);
  sem_post(&ended);
  return NULL;
}

static void* work(void* argument) {
  unsigned r = seed * 97 + (unsigned)(size_t)argument * 7919, born = 0;
  for (unsigned i = 0; i < steps; i++) {
    unsigned k = next(&r) % 2;
    switch (next(&r) % 8) {
      case 0: case 1: nested(&r, 0); break;
      case 2: pthread_mutex_lock(&again); touch(&r); pthread_mutex_lock(&again); touch(&r); pthread_mutex_unlock(&again); touch(&r); pthread_mutex_unlock(&again); break;
      case 3: if (pthread_rwlock_tryrdlock(&rw[k])) break; touch(&r); if (!pthread_rwlock_tryrdlock(&rw[k])) { touch(&r); pthread_rwlock_unlock(&rw[k]); } pthread_rwlock_unlock(&rw[k]); break;
      case 4: if (pthread_rwlock_trywrlock(&rw[k])) break; touch(&r); if (!pthread_rwlock_trywrlock(&rw[1 - k])) { touch(&r); pthread_rwlock_unlock(&rw[1 - k]); } pthread_rwlock_unlock(&rw[k]); break;
      case 5: anew(&r); break;
      case 6: if (born++ < 2) { pthread_t t; pthread_create(&t, NULL, detached, (void*)(size_t)next(&r)); pthread_detach(t); } break;
      default: touch(&r); break;
    }
    // All threads come once between two barriers of all, so the barrier of two ends for everyone.
    if (i % 8 == 7) { pthread_barrier_wait(&two); touch(&r); pthread_barrier_wait(&all); }
  }
  while (born > 2) born--;
  while (born-- > 0) sem_wait(&ended);
  return NULL;
}

#ifdef _OPENMP
static void tasks(unsigned r, int depth) {
  touch(&r);
  for (int i = 0; i < 2 && depth > 0; i++) {
    unsigned other = next(&r);
    if (next(&r) % 2)
#pragma omp task depend(inout : a[depth])
      tasks(other, depth - 1);
    else
#pragma omp task
      tasks(other, depth - 1);
    touch(&r);
    if (next(&r) % 3 == 0) {
#pragma omp taskwait
    }
    if (next(&r) % 3 == 0)
#pragma omp critical
      touch(&r);
  }
}
#endif

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  seed = (unsigned)atoi(argv[1]);
  threads = (unsigned)atoi(argv[2]) / 2 * 2;
  steps = (unsigned)atoi(argv[3]);
  if (threads > kMost) return 2;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
#pragma omp single
  tasks(seed, 3);
  return 0;
#endif
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&again, &recursive);
  pthread_barrier_init(&two, NULL, 2);
  pthread_barrier_init(&all, NULL, threads);
  sem_init(&ended, 0, 0);
  pthread_t t[kMost];
  for (unsigned i = 0; i < threads; i++) pthread_create(&t[i], NULL, work, (void*)(size_t)i);
  pid_t child = -1;
  if (seed % 3 == 0 && (child = fork()) == 0) {
    unsigned r = seed;
    for (int i = 0; i < 4; i++) touch(&r);
    _exit(0);
  }
  for (unsigned i = 0; i < threads; i++) pthread_join(t[i], NULL);
  if (child > 0) waitpid(child, NULL, 0);
  return 0;
}
