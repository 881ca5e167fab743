// lu THREADS [N [BLOCK]]: blocked LU factorization without pivoting of an N × N matrix, blocks dealt to threads. -DWITHOUT_BARRIER leaves out the
// barrier between the blocks beside the diagonal and those behind them.
#include <stdio.h>

#include "team.h"

static int n, block, blocks;
static double* a;

static double* at(int i, int j) { return a + (size_t)i * (size_t)n + j; }
static int owner(int i, int j) { return (i + j * 3) % team_size; }

static void factor(int k) {
  for (int i = k; i < k + block; ++i)
    for (int j = i + 1; j < k + block; ++j) {
      *at(j, i) /= *at(i, i);
      for (int l = i + 1; l < k + block; ++l) *at(j, l) -= *at(j, i) * *at(i, l);
    }
}

static void solve_row(int k, int j) {  // block (k, j) := L(k)⁻¹ block
  for (int i = 1; i < block; ++i)
    for (int l = 0; l < i; ++l)
      for (int c = 0; c < block; ++c) *at(k + i, j + c) -= *at(k + i, k + l) * *at(k + l, j + c);
}

static void solve_column(int i, int k) {  // block (i, k) := block U(k)⁻¹
  for (int r = 0; r < block; ++r)
    for (int c = 0; c < block; ++c) {
      for (int l = 0; l < c; ++l) *at(i + r, k + c) -= *at(i + r, k + l) * *at(k + l, k + c);
      *at(i + r, k + c) /= *at(k + c, k + c);
    }
}

static void update(int i, int j, int k) {
  for (int r = 0; r < block; ++r)
    for (int l = 0; l < block; ++l)
      for (int c = 0; c < block; ++c) *at(i + r, j + c) -= *at(i + r, k + l) * *at(k + l, j + c);
}

static void* work(void* argument) {
  const int me = (int)(intptr_t)argument;
  for (int k = 0; k < blocks; ++k) {
    if (owner(k, k) == me) factor(k * block);
    meet();
    for (int i = k + 1; i < blocks; ++i) {
      if (owner(k, i) == me) solve_row(k * block, i * block);
      if (owner(i, k) == me) solve_column(i * block, k * block);
    }
#ifndef WITHOUT_BARRIER
    meet();
#endif
    for (int i = k + 1; i < blocks; ++i)
      for (int j = k + 1; j < blocks; ++j)
        if (owner(i, j) == me) update(i * block, j * block, k * block);
    meet();
  }
  return NULL;
}

int main(int argc, char** argv) {
  n = argument(argc, argv, 2, 256);
  block = argument(argc, argv, 3, 16);
  blocks = n / block;
  uint32_t seed = 1;
  a = malloc((size_t)n * (size_t)n * sizeof *a);
  for (int i = 0; i < n * n; ++i) a[i] = draw_unit(&seed) + (i % (n + 1) == 0 ? n : 0);
  run_team(argument(argc, argv, 1, 2), work);
  double sum = 0;
  for (int i = 0; i < n * n; ++i) sum += a[i];
  printf("%.12g\n", sum);
  return 0;
}
