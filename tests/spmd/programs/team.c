// Teams of threads, one of which is the one that made the others: team KIND THREADS
// A line that ends in @NAME is looked up by tests/spmd/participants.py.
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static int a[1 << 16];
static atomic_int arrived;

// Until all threads of the team are there: so each has its share.
static void meet(int threads) {
  atomic_fetch_add(&arrived, 1);
  while (atomic_load(&arrived) < threads) {
  }
}

// Figure 2.6 of the thesis.
static void figure(int threads) {
#pragma omp parallel num_threads(threads)
  {
    int tid = omp_get_thread_num();
    for (int j = 400 * tid; j < 400 * tid + 100; j++) a[j] = j;  // @figure
  }
}

static void fixed(int threads) {
  for (int step = 0; step < 5; step++) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int j = 0; j < 60 * threads; j++) a[j + step] += j;  // @static
  }
}

static void dynamic(int threads) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (int j = 0; j < threads; j++) {
    meet(threads);
    for (int i = 0; i < 50; i++) a[50 * j + i] += i;  // @dynamic
  }
}

static void nested(int threads) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    int outer = omp_get_thread_num();
    a[outer] = outer;  // @outer
#pragma omp parallel num_threads(threads)
    {
      int inner = omp_get_thread_num();
      for (int j = 0; j < 40; j++) a[4096 * outer + 40 * inner + j] += j;  // @inner
    }
  }
}

static void sections(int threads) {
#pragma omp parallel num_threads(threads)
  {
    a[64 * omp_get_thread_num()] = 1;  // @all
#pragma omp sections
    {
#pragma omp section
      {
        meet(2);
        a[1] += 1;  // @first
      }
#pragma omp section
      {
        meet(2);
        a[2] += 1;  // @second
      }
    }
  }
}

__attribute__((noinline)) static void work(long id) {
  for (long j = 100 * id; j < 100 * id + 100; j++) a[j] += j;  // @work
}

static void* start(void* argument) {
  work((long)argument);
  return NULL;
}

// The thread that made the others does its share itself.
static void pthreads(int threads) {
  pthread_t made[64];
  for (long i = 1; i < threads; i++) pthread_create(&made[i], NULL, start, (void*)i);
  work(0);
  for (long i = 1; i < threads; i++) pthread_join(made[i], NULL);
}

int main(int argc, char** argv) {
  const char* kind = argc > 1 ? argv[1] : "figure";
  int threads = argc > 2 ? atoi(argv[2]) : 8;
  if (!strcmp(kind, "figure")) figure(threads);
  if (!strcmp(kind, "static")) fixed(threads);
  if (!strcmp(kind, "dynamic")) dynamic(threads);
  if (!strcmp(kind, "nested")) nested(threads);
  if (!strcmp(kind, "sections")) sections(threads);
  if (!strcmp(kind, "pthreads")) pthreads(threads);
  return a[5] < 0;
}
