// c = a × b, each thread some rows. Arguments: threads, size.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 4, n = argc > 2 ? atoi(argv[2]) : 12;
  double *a = malloc(n * n * sizeof *a), *b = malloc(n * n * sizeof *b),
         *c = malloc(n * n * sizeof *c);
  for (int i = 0; i < n * n; ++i) {
    a[i] = i % 7;
    b[i] = i % 5;
  }
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  printf("%g\n", c[n * n - 1]);
  free(a);
  free(b);
  free(c);
}
