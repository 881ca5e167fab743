// sor THREADS [N [ROUNDS]]: red-black successive over-relaxation on an N × N grid.
#include <stdio.h>

#include "team.h"

static int n, rounds;
static double* grid;

static void relax(int colour, int first, int last) {
  for (int i = first; i < last; ++i)
    for (int j = 1 + (i + colour) % 2; j <= n; j += 2) {
      double* at = grid + i * (n + 2) + j;
      *at += 0.8 * ((at[-1] + at[1] + at[-n - 2] + at[n + 2]) / 4 - *at);
    }
}

static void* work(void* member) {
  int first, last;
  share(n, (int)(intptr_t)member, &first, &last);
  for (int r = 0; r < rounds; ++r)
    for (int colour = 0; colour < 2; ++colour) {
      relax(colour, first + 1, last + 1);
      meet();
    }
  return NULL;
}

int main(int argc, char** argv) {
  n = argument(argc, argv, 2, 100);
  rounds = argument(argc, argv, 3, 10);
  grid = calloc((size_t)(n + 2) * (size_t)(n + 2), sizeof *grid);
  for (int i = 0; i < n + 2; ++i) grid[i] = 1;
  run_team(argument(argc, argv, 1, 2), work);
  double sum = 0;
  for (int i = 0; i < (n + 2) * (n + 2); ++i) sum += grid[i];
  printf("%.12g\n", sum);
  return 0;
}
