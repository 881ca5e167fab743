// c = a + b, each thread a part of it. Arguments: threads, elements.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 4, n = argc > 2 ? atoi(argv[2]) : 1024;
  int *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c);
  for (int i = 0; i < n; ++i) {
    a[i] = i;
    b[i] = 2 * i;
  }
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += c[i];
  printf("%ld\n", sum);
  free(a);
  free(b);
  free(c);
}
