// Rectangular and triangular loops over globals: references that fold.
#include <stdlib.h>

enum { N = 32 };
static double a[N][N], b[N], c[N];

static void multiply(int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) c[i] += a[i][j] * b[j];
}

static void solve(int n) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) b[i] -= a[i][j] * b[j];
    b[i] /= a[i][i];
  }
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 8;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) a[i][j] = 1 + i + j;
    b[i] = i;
  }
  for (int t = 0; t < 3; ++t) {
    multiply(n);
    solve(n);
  }
  return c[0] > 1e9;
}
