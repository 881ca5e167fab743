// Works on global arrays only, in every access size and order; the arrays' names are known to the test. No statement has two accesses
// that the code generator may exchange.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct Cell {
  uint8_t small;
  uint16_t middle;
  uint32_t large;
  double real;
};

int64_t test_matrix[24][24], test_other[24][24], test_product[24][24];
struct Cell test_cells[64];
unsigned char test_bytes[512];
int test_order[128];

static void multiply(void) {
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j < 24; ++j) {
      int64_t sum = 0;
      for (int k = 0; k < 24; ++k) sum += test_matrix[i][k] * test_other[k][j];
      test_product[i][j] = sum;
    }
}

static int quick(int low, int high) {
  int steps = 0;
  while (low < high) {
    const int pivot = test_order[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
      while (test_order[i] < pivot) ++i;
      while (test_order[j] > pivot) --j;
      if (i <= j) {
        const int held = test_order[i];
        test_order[i++] = test_order[j];
        test_order[j--] = held;
        ++steps;
      }
    }
    steps += quick(low, j);
    low = i;
  }
  return steps;
}

static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

int main(void) {
  uint32_t seed = 7;
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j < 24; ++j) test_matrix[i][j] = i * j, test_other[i][j] = i - j;
  for (int i = 0; i < 64; ++i) {
    test_cells[i].small = i;
    test_cells[i].middle = i * 3;
    test_cells[i].large = i * 5;
    test_cells[i].real = i / 7.0;
  }
  for (int i = 0; i < 128; ++i) test_order[i] = (seed = seed * 1103515245 + 12345) >> 8;
  for (int i = 0; i < 512; ++i) test_bytes[(i * 37) & 511] ^= i;
  multiply();
  const int steps = quick(0, 127);
  double sum = 0;
  for (int i = 63; i >= 0; i -= 3) sum += test_cells[i].small;
  for (int i = 0; i < 64; i += 5) sum += test_cells[i].middle;
  for (int i = 63; i >= 0; i -= 7) sum += test_cells[i].large;
  for (int i = 1; i < 64; i *= 2) sum += test_cells[i].real;
  qsort(test_order, 128, sizeof *test_order, compare);
  printf("%d %.3f %ld\n", steps, sum, (long)test_product[3][5]);
  return 0;
}
