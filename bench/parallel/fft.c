// fft THREADS [LOG2N]: six-step fast Fourier transform of 2^LOG2N complex points: transpose, transform rows, twiddle, transpose …
#include <math.h>
#include <stdio.h>

#include "team.h"

typedef struct {
  double re, im;
} Complex;

static int side;  // the points are a side × side matrix
static Complex *x, *y, *roots;

static void transpose(const Complex* from, Complex* to, int first, int last) {
  for (int i = first; i < last; ++i)
    for (int j = 0; j < side; ++j) to[i * side + j] = from[j * side + i];
}

static Complex times(Complex a, Complex b) { return (Complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

static void transform(Complex* row) {
  for (int i = 1, j = 0; i < side; ++i) {
    int bit = side >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      const Complex kept = row[i];
      row[i] = row[j];
      row[j] = kept;
    }
  }
  for (int half = 1; half < side; half *= 2)
    for (int start = 0; start < side; start += 2 * half)
      for (int k = 0; k < half; ++k) {
        const Complex odd = times(roots[side * (side / (2 * half)) * k], row[start + k + half]), even = row[start + k];
        row[start + k] = (Complex){even.re + odd.re, even.im + odd.im};
        row[start + k + half] = (Complex){even.re - odd.re, even.im - odd.im};
      }
}

static void* work(void* member) {
  int first, last;
  share(side, (int)(intptr_t)member, &first, &last);
  transpose(x, y, first, last);
  meet();
  for (int i = first; i < last; ++i) {
    transform(y + i * side);
    for (int j = 0; j < side; ++j) y[i * side + j] = times(y[i * side + j], roots[i * j]);
  }
  meet();
  transpose(y, x, first, last);
  meet();
  for (int i = first; i < last; ++i) transform(x + i * side);
  meet();
  transpose(x, y, first, last);
  meet();
  return NULL;
}

int main(int argc, char** argv) {
  side = 1 << argument(argc, argv, 2, 16) / 2;
  const int n = side * side;
  uint32_t seed = 1;
  x = malloc((size_t)n * sizeof *x), y = malloc((size_t)n * sizeof *y), roots = malloc((size_t)n * sizeof *roots);
  for (int i = 0; i < n; ++i) {
    x[i] = (Complex){draw_unit(&seed), draw_unit(&seed)};
    roots[i] = (Complex){cos(-2 * M_PI * i / n), sin(-2 * M_PI * i / n)};
  }
  run_team(argument(argc, argv, 1, 2), work);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += y[i].re * (i % 7) + y[i].im;
  printf("%.12g\n", sum);
  return 0;
}
