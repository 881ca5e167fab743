// erratic ROUNDS [STATUS]: branches on random bits, so its paths hardly compress.
#include "tally.h"

static unsigned long state = 88172645463325252;
static unsigned random_bits(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state >> 20);
}

NOINLINE static unsigned step(unsigned bits) {
  unsigned x = 1;
  for (int i = 0; i < 4; ++i, bits >>= 4) {
    if (bits & 1) x += 3;
    if (bits & 2) x ^= 5; else x *= 7;
    if (bits & 4) x -= 9;
    if (bits & 8) x += x >> 3;
  }
  return x;
}

int main(int argc, char** argv) {
  unsigned sum = 0;
  struct tally* steps = tally_find("step");
  for (long i = 0, rounds = argc > 1 ? atol(argv[1]) : 1000; i < rounds; ++i) {
    sum += step(random_bits());
    ++steps->calls;
  }
  printf("%u\n", sum);
  return argc > 2 ? atoi(argv[2]) : 0;
}
