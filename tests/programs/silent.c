// silent THOUSANDS: works so many times, some hundred thousand times a second; every value follows from those before.
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static unsigned work(unsigned x) {
  __asm__ volatile(".rept 100\n\tpause\n\t.endr");
  return 1664525 * x + 1013904223;
}

int main(int argc, char** argv) {
  unsigned long n = (argc > 1 ? strtoul(argv[1], NULL, 10) : 1) * 1000;
  unsigned x = 27;
  for (; n > 0; --n) x = work(x);
  printf("%u\n", x);
  return 0;
}
