// sor THREADS [N [ROUNDS]]: red-black successive over-relaxation on an N × N grid: red and black cells in arrays of their own, rows through pointers.
// A barrier before the first round, two in each.
#include <stdio.h>

#include "team.h"

static int given_n, given_rounds;
static float **given_red, **given_black;

static float** rows(int n) {
  float** made = team_alloc((size_t)(n + 2) * sizeof *made);
  for (int i = 0; i < n + 2; ++i) {
    made[i] = team_alloc((size_t)(n / 2 + 2) * sizeof **made);
    for (int j = 0; j < n / 2 + 2; ++j)
      made[i][j] = i == 0 || i == n + 1 || j == 0 || j == n / 2 + 1;
  }
  return made;
}

// The cells of one colour, from their neighbours of the other one: of those in the row itself, the one before or behind.
static void relax(float** to, float** from, int first, int last, int n, int odd) {
  for (int i = first; i < last; ++i) {
    const int beside = (i + odd) % 2 ? 1 : -1;
    for (int j = 1; j <= n / 2; ++j)
      to[i][j] = (from[i - 1][j] + from[i + 1][j] + from[i][j] + from[i][j + beside]) / 4;
  }
}

static void* work(void* member) {
  int first, last;
  const int n = given_n, rounds = given_rounds;
  float **red = given_red, **black = given_black;
  share(n, (int)(intptr_t)member, &first, &last);
  touch_team_memory();
  meet();
  for (int r = 0; r < rounds; ++r) {
    relax(black, red, first + 1, last + 1, n, 0);
    meet();
    relax(red, black, first + 1, last + 1, n, 1);
    meet();
  }
  return NULL;
}

int main(int argc, char** argv) {
  given_n = argument(argc, argv, 2, 100);
  given_rounds = argument(argc, argv, 3, 2);
  given_red = rows(given_n), given_black = rows(given_n);
  run_team(argument(argc, argv, 1, 2), work);
  double sum = 0;
  for (int i = 1; i <= given_n; ++i)
    for (int j = 1; j <= given_n / 2; ++j)
      sum += (double)given_red[i][j] + (double)given_black[i][j];
  printf("%.9g\n", sum);
  return 0;
}
