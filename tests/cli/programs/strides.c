#include <stdio.h>
#include <string.h>

static int matrix[6][10];
static double halves[4];
static char text[20];

static long product(int n) { return n == 0 ? 1 : n * product(n - 1); }

int main(void) {
  long sum = 0;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 10; ++j) matrix[i][j] = i - j;
  for (int round = 0; round < 3; ++round)
    for (int j = 0; j < 10; ++j)
      for (int i = 0; i < 6; ++i) sum += matrix[i][j];
  for (int i = 0; i < 4; ++i) halves[i] = i / 2.0;
  memcpy(text, "eighteen characters", 18);
  printf("%ld %g %s %ld\n", sum, halves[3], text, product(5));
  return 0;
}
