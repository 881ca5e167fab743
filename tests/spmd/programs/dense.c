// Dense kernels with triangular loops and stencils, one after the other. Arguments: kernel, size.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n;

static double* matrix(void) {
  double* a = malloc((size_t)n * n * sizeof *a);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a[i * n + j] = i == j ? n + 1 : 1.0 / (1 + i + j);
  return a;
}

static void lu(double* a) {
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) {
      a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < n; ++j) a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
}

static void cholesky(double* a) {
  for (int j = 0; j < n; ++j) {
    double sum = a[j * n + j];
    for (int k = 0; k < j; ++k) sum -= a[j * n + k] * a[j * n + k];
    a[j * n + j] = sqrt(sum);
    for (int i = j + 1; i < n; ++i) {
      double s = a[i * n + j];
      for (int k = 0; k < j; ++k) s -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = s / a[j * n + j];
    }
  }
}

static void trmm(const double* a, double* b) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = i; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      b[i * n + j] = sum;
    }
}

static void triple(double* a) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      for (int k = j; k <= i; ++k) a[i * n + j] += a[k * n + j];
}

static void stencil1(double* a, double* b) {
  for (int t = 0; t < 4; ++t) {
    for (int i = 1; i < n - 1; ++i) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
    for (int i = 1; i < n - 1; ++i) a[i] = b[i];
  }
}

static void stencil2(double* a, double* b) {
  for (int t = 0; t < 4; ++t) {
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j)
        b[i * n + j] = (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] +
                        a[i * n + j + 1]) / 4;
    memcpy(a, b, (size_t)n * n * sizeof *a);
  }
}

static void stencil3(double* a, double* b) {
  const int m = (int)cbrt(n * n);
  for (int t = 0; t < 3; ++t)
    for (int i = 1; i < m - 1; ++i)
      for (int j = 1; j < m - 1; ++j)
        for (int k = 1; k < m - 1; ++k)
          b[(i * m + j) * m + k] = a[((i - 1) * m + j) * m + k] + a[((i + 1) * m + j) * m + k] +
                                   a[(i * m + j - 1) * m + k] + a[(i * m + j + 1) * m + k] +
                                   a[(i * m + j) * m + k - 1] + a[(i * m + j) * m + k + 1];
}

static void sor(double* a) {
  for (int t = 0; t < 4; ++t)
    for (int color = 0; color < 2; ++color)
      for (int i = 1; i < n - 1; ++i)
        for (int j = 1 + (i + color) % 2; j < n - 1; j += 2)
          a[i * n + j] = 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] +
                                 a[i * n + j + 1]);
}

int main(int argc, char** argv) {
  const char* kernel = argc > 1 ? argv[1] : "lu";
  n = argc > 2 ? atoi(argv[2]) : 16;
  double *a = matrix(), *b = matrix();
  if (!strcmp(kernel, "lu")) lu(a);
  if (!strcmp(kernel, "cholesky")) cholesky(a);
  if (!strcmp(kernel, "trmm")) trmm(a, b);
  if (!strcmp(kernel, "triple")) triple(a);
  if (!strcmp(kernel, "stencil1")) stencil1(a, b);
  if (!strcmp(kernel, "stencil2")) stencil2(a, b);
  if (!strcmp(kernel, "stencil3")) stencil3(a, b);
  if (!strcmp(kernel, "sor")) sor(a);
  printf("%g\n", a[n] + b[n]);
  free(a);
  free(b);
}
