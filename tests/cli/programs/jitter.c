// Addresses that go up evenly, but for a little.
#include <stdio.h>

enum { kTimes = 3000 };
static _Alignas(64) int table[64 * kTimes + 64];

int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < kTimes; ++i) table[64 * i + i * i % 5] += argc;
  printf("%d\n", table[64]);
  return 0;
}
