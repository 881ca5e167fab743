// lasting SECONDS THREADS: threads that sweep, gather, reverse and rest until the time is over; the last one begins when the others have
// ended.
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { kSize = 1 << 12 };
static double seconds;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static void sweep(double* to, const double* from) {
  for (int i = 1; i + 1 < kSize; ++i) to[i] = 0.25 * (from[i - 1] + 2 * from[i] + from[i + 1]);
}

static void gather(double* to, const double* from, const int* where) {
  for (int i = 0; i < kSize; ++i) to[i] += from[where[i]];
}

static void reverse(double* row) {
  for (int i = 1, j = 0; i < kSize; ++i) {
    int bit = kSize >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      const double kept = row[i];
      row[i] = row[j], row[j] = kept;
    }
  }
}

static void* work(void* number) {
  unsigned state = (unsigned)(size_t)number + 1;
  double *a = calloc(kSize, sizeof *a), *b = calloc(kSize, sizeof *b);
  int* where = calloc(kSize, sizeof *where);
  for (int i = 0; i < kSize; ++i) a[i] = i, where[i] = (state = state * 1664525 + 1013904223) >> 20;
  for (const double end = now() + seconds; now() < end;) {
    for (int round = 0; round < 20; ++round) sweep(b, a), sweep(a, b);
    gather(b, a, where);
    reverse(b);
    usleep(5000);
  }
  free(a), free(b), free(where);
  return NULL;
}

int main(int argc, char** argv) {
  seconds = argc > 1 ? atof(argv[1]) : 1;
  const int threads = argc > 2 ? atoi(argv[2]) : 2;
  pthread_t all[64];
  for (int t = 0; t < threads && t < 64; ++t) pthread_create(&all[t], NULL, work, (void*)(size_t)t);
  work((void*)64);
  for (int t = 0; t < threads && t < 64; ++t) pthread_join(all[t], NULL);
  pthread_create(&all[0], NULL, work, (void*)65);
  pthread_join(all[0], NULL);
  return 0;
}
