// steady MILLISECONDS [STATUS]: works for so long, some million paths a second.
#include <time.h>

#include "tally.h"

static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

NOINLINE static unsigned work(unsigned n) {
  CALLED();
  WASTE_TIME();
  unsigned x = n;
  for (unsigned i = n % 7; i > 0; --i) x = x % 2 ? 3 * x + 1 : x / 2;
  return x;
}

int main(int argc, char** argv) {
  long end = now() + (argc > 1 ? atol(argv[1]) : 1000);
  unsigned n = 0;
  do
    for (int i = 0; i < 1000; ++i) n += work((unsigned)i + n);
  while (now() < end);
  return argc > 2 ? atoi(argv[2]) : 0;
}
