// Dense kernels with pthreads: matrix multiply, LU and red-black SOR, four threads, barriers. About 10⁸ accesses at -O1 with
// the sizes of `run`.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kThreads = 4, kMost = 1024 };
static double a[kMost][kMost], b[kMost][kMost], c[kMost][kMost];
static int n, rounds;
static pthread_barrier_t barrier;

static void multiply(int me) {
  for (int i = me * n / kThreads; i < (me + 1) * n / kThreads; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
}

static void factor(int me) {
  for (int k = 0; k < n; k++) {
    for (int i = k + 1 + me; i < n; i += kThreads) {
      a[i][k] /= a[k][k];
      for (int j = k + 1; j < n; j++) a[i][j] -= a[i][k] * a[k][j];
    }
    pthread_barrier_wait(&barrier);
  }
}

static void relax(int me) {
  for (int round = 0; round < rounds; round++)
    for (int color = 0; color < 2; color++) {
      for (int i = 1 + me * (n - 2) / kThreads; i < 1 + (me + 1) * (n - 2) / kThreads; i++)
        for (int j = 1 + (i + color) % 2; j < n - 1; j += 2)
          a[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
      pthread_barrier_wait(&barrier);
    }
}

static void (*kernel)(int);
static void* work(void* me) {
  kernel((int)(long)me);
  return NULL;
}

int main(int count, char** words) {
  if (count < 3) return 2;
  n = atoi(words[2]);
  rounds = count > 3 ? atoi(words[3]) : 1;
  kernel = strcmp(words[1], "multiply") == 0 ? multiply
           : strcmp(words[1], "lu") == 0     ? factor
                                             : relax;
  if (n > kMost) return 2;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i][j] = b[i][j] = (i == j) * n + 1.0 / (1 + i + j);
  pthread_barrier_init(&barrier, NULL, kThreads);
  pthread_t threads[kThreads];
  for (long t = 0; t < kThreads; t++) pthread_create(&threads[t], NULL, work, (void*)t);
  for (int t = 0; t < kThreads; t++) pthread_join(threads[t], NULL);
  printf("%g\n", c[n / 2][n / 3] + a[n / 2][n / 3]);
  return 0;
}
