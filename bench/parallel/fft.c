// fft THREADS [LOG2N]: six-step fast Fourier transform of 2^LOG2N complex points, and back: the points are a square matrix; transpose,
// transform the rows and twiddle, transpose, transform the rows, transpose. 14 barriers. Prints the largest error.
#include <math.h>
#include <stdio.h>

#include "team.h"

typedef struct {
  double re, im;
} Complex;

enum {
  kPad = 6,
  kTile = 4
};  // points behind each row; points of a tile that is transposed at a time

static int given_bits;  // of a row's length
static Complex *given_points, *given_other, *given_twiddles, *given_roots;
static double worst;
static pthread_mutex_t worst_lock = PTHREAD_MUTEX_INITIALIZER;

// A member's own copies.
static _Thread_local int me, bits, side, row, first, last;
static _Thread_local double direction;
static _Thread_local Complex* roots;  // of rows, one level of a transform after the other

static Complex times(Complex a, Complex b) {
  return (Complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static Complex root(double part) { return (Complex){cos(2 * M_PI * part), -sin(2 * M_PI * part)}; }

// My rows of `to`, from the columns of each member in turn, those of the next one first.
static void transpose(const Complex* from, Complex* to) {
  for (int turn = 1; turn <= team_size; ++turn) {
    int from_first, from_last;
    share(side, (me + turn) % team_size, &from_first, &from_last);
    for (int tile = from_first; tile < from_last; tile += kTile)
      for (int i = first; i < last; ++i)
        for (int j = tile; j < tile + kTile && j < from_last; ++j)
          to[i * row + j] = from[j * row + i];
  }
}

static int reversed(int k) {
  int j = 0;
  for (int bit = 0; bit < bits; ++bit) {
    j = 2 * j + (k & 1);
    k /= 2;
  }
  return j;
}

static void reverse(Complex* points) {
  for (int k = 0; k < side; ++k) {
    const int j = reversed(k);
    if (j <= k) continue;
    const Complex kept = points[j];
    points[j] = points[k];
    points[k] = kept;
  }
}

static void transform(Complex* points) {
  reverse(points);
  for (int half = 1; half < side; half *= 2)
    for (int start = 0; start < side; start += 2 * half) {
      Complex *even = points + start, *odd = even + half;
      for (int k = 0; k < half; ++k) {
        const Complex of_level = roots[half - 1 + k];
        const Complex turned = times((Complex){of_level.re, direction * of_level.im}, odd[k]);
        odd[k] = (Complex){even[k].re - turned.re, even[k].im - turned.im};
        even[k] = (Complex){even[k].re + turned.re, even[k].im + turned.im};
      }
    }
}

static void twiddle(Complex* points, const Complex* by) {
  for (int j = 0; j < side; ++j)
    points[j] = times((Complex){by[j].re, direction * by[j].im}, points[j]);
}

static void scale(Complex* points) {
  for (int j = 0; j < side; ++j) points[j].re /= side * side, points[j].im /= side * side;
}

static void copy(const Complex* from, Complex* to) {
  for (int j = 0; j < side; ++j) to[j] = from[j];
}

static void whole(Complex* points, Complex* other, const Complex* twiddles) {
  meet();
  transpose(points, other);
  for (int i = first; i < last; ++i) {
    transform(other + i * row);
    twiddle(other + i * row, twiddles + i * row);
  }
  meet();
  transpose(other, points);
  for (int i = first; i < last; ++i) {
    transform(points + i * row);
    if (direction < 0) scale(points + i * row);
  }
  meet();
  transpose(points, other);
  meet();
  for (int i = first; i < last; ++i) copy(other + i * row, points + i * row);
  meet();
}

static void* work(void* member) {
  me = (int)(intptr_t)member, bits = given_bits, side = 1 << bits, row = side + kPad;
  share(side, me, &first, &last);
  Complex *points = given_points, *other = given_other, *twiddles = given_twiddles;
  touch_team_memory();
  meet();
  for (int i = first; i < last; ++i)
    for (int j = 0; j < side; ++j)
      twiddles[i * row + j] = root((double)i * j / ((double)side * side));
  roots = malloc((size_t)side * sizeof *roots);
  copy(given_roots, roots);
  meet();
  direction = 1;
  whole(points, other, twiddles);
  direction = -1;
  whole(points, other, twiddles);
  // Back again: a number from the seed, which each member draws for itself.
  double mine = 0;
  uint32_t seed = 1;
  for (int i = 0; i < last; ++i)
    for (int j = 0; j < side; ++j) {
      const double re = draw_unit(&seed), im = draw_unit(&seed);
      if (i >= first)
        mine =
            fmax(mine, fmax(fabs(points[i * row + j].re - re), fabs(points[i * row + j].im - im)));
    }
  meet();
  pthread_mutex_lock(&worst_lock);
  worst = fmax(worst, mine);
  pthread_mutex_unlock(&worst_lock);
  meet();
  free(roots);
  return NULL;
}

int main(int argc, char** argv) {
  given_bits = argument(argc, argv, 2, 16) / 2;
  const int length = 1 << given_bits, padded = length + kPad;
  const size_t bytes = (size_t)length * (size_t)padded * sizeof(Complex);
  given_points = team_alloc(bytes), given_other = team_alloc(bytes),
  given_twiddles = team_alloc(bytes);
  given_roots = team_alloc((size_t)length * sizeof(Complex));
  uint32_t seed = 1;
  for (int i = 0; i < length; ++i)
    for (int j = 0; j < length; ++j) {
      given_points[i * padded + j].re = draw_unit(&seed);
      given_points[i * padded + j].im = draw_unit(&seed);
    }
  for (int half = 1; half < length; half *= 2)
    for (int k = 0; k < half; ++k) given_roots[half - 1 + k] = root((double)k / (2 * half));
  run_team(argument(argc, argv, 1, 2), work);
  printf("%.0e\n", worst);
  return worst > 1e-9;
}
