// Functions that are chosen when the program is loaded. Code and data may know them by different
// addresses: code by that of a stub which the linker makes.
#include <stdio.h>

static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }

static int (*const choices[])(int) = {twice, thrice};
static void* choose(void) { return choices[1]; }
int chosen(int x) __attribute__((ifunc("choose")));

__attribute__((target_clones("avx2", "default"))) int sum(const int* numbers, int count) {
  int all = 0;
  for (int i = 0; i < count; ++i) all += numbers[i];
  return all;
}

int main(void) {
  int numbers[20];
  int (*volatile by_address)(int) = chosen;
  for (int i = 0; i < 20; ++i) numbers[i] = chosen(i) + by_address(i + 1) + thrice(1);
  printf("%d\n", sum(numbers, 20));
  return 0;
}
