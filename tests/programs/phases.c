// phases: before, begin, 1000 × inside, end, between, begin, 1000 × inside, end, after.
#include "tally.h"

NOINLINE static int leaf(int x) { CALLED(); return x + 1; }
NOINLINE static int other(int x) { CALLED(); return leaf(x) * 2; }
NOINLINE static int before(int x) { CALLED(); return leaf(x); }
NOINLINE static int begin(int x) { CALLED(); return leaf(x); }
NOINLINE static int inside(int x) { CALLED(); return other(x) + leaf(x); }
NOINLINE static int end(int x) { CALLED(); return leaf(x); }
NOINLINE static int after(int x) { CALLED(); return leaf(x); }

int main(void) {
  int sum = 0;
  for (int i = 0; i < 100; ++i) sum += before(i);
  for (int round = 0; round < 2; ++round) {
    sum += begin(round);
    for (int i = 0; i < 1000; ++i) sum += inside(i);
    sum += end(round);
    for (int i = 0; i < 100; ++i) sum += after(i);
  }
  printf("%d\n", sum);
  return 0;
}
