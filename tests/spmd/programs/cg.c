// Conjugate gradients on a sparse matrix in CSR form, by pthreads. Arguments: threads, grid, iterations.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int threads, grid, n, iterations;
static int *row, *column;
static double *value, *x, *r, *p, *q;
static double partial[64], total;
static pthread_barrier_t barrier;

static double reduce(int me, double mine) {
  partial[me] = mine;
  pthread_barrier_wait(&barrier);
  if (me == 0) {
    double sum = 0;
    for (int t = 0; t < threads; ++t) sum += partial[t];
    total = sum;
  }
  pthread_barrier_wait(&barrier);
  return total;
}

static void* solve(void* argument) {
  const int me = (int)(long)argument;
  const int from = (int)((long)n * me / threads), to = (int)((long)n * (me + 1) / threads);
  double rr = 0;
  for (int i = from; i < to; ++i) rr += r[i] * r[i];
  rr = reduce(me, rr);
  for (int it = 0; it < iterations; ++it) {
    double pq = 0;
    for (int i = from; i < to; ++i) {
      double sum = 0;
      for (int k = row[i]; k < row[i + 1]; ++k) sum += value[k] * p[column[k]];
      q[i] = sum;
      pq += p[i] * sum;
    }
    pq = reduce(me, pq);
    const double alpha = rr / pq;
    double next = 0;
    for (int i = from; i < to; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
      next += r[i] * r[i];
    }
    next = reduce(me, next);
    const double beta = next / rr;
    rr = next;
    for (int i = from; i < to; ++i) p[i] = r[i] + beta * p[i];
    pthread_barrier_wait(&barrier);
  }
  return 0;
}

int main(int argc, char** argv) {
  threads = argc > 1 ? atoi(argv[1]) : 3;
  grid = argc > 2 ? atoi(argv[2]) : 10;
  iterations = argc > 3 ? atoi(argv[3]) : 5;
  n = grid * grid;
  row = malloc((n + 1) * sizeof *row);
  column = malloc(5 * n * sizeof *column);
  value = malloc(5 * n * sizeof *value);
  x = calloc(n, sizeof *x);
  r = malloc(n * sizeof *r);
  p = malloc(n * sizeof *p);
  q = malloc(n * sizeof *q);
  int k = 0;
  for (int i = 0; i < n; ++i) {
    row[i] = k;
    const int neighbours[5] = {i - grid, i % grid ? i - 1 : -1, i, (i + 1) % grid ? i + 1 : -1,
                               i + grid};
    for (int m = 0; m < 5; ++m)
      if (neighbours[m] >= 0 && neighbours[m] < n) {
        column[k] = neighbours[m];
        value[k++] = neighbours[m] == i ? 4 : -1;
      }
    r[i] = p[i] = 1;
  }
  row[n] = k;
  pthread_barrier_init(&barrier, 0, threads);
  pthread_t id[64];
  for (long t = 1; t < threads; ++t) pthread_create(&id[t], 0, solve, (void*)t);
  solve(0);
  for (int t = 1; t < threads; ++t) pthread_join(id[t], 0);
  printf("%g\n", x[n / 2]);
}
