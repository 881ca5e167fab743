// recursion plain DEPTH; recursion tail DEPTH: two functions that call each other, flat at -O2.
#include "tally.h"

NOINLINE static long down(long n) {
  static struct tally* mine;
  if (mine == NULL) mine = tally_find("down");
  ++mine->calls;
  if (n == 0) return 0;
  long below = down(n - 1);
  KEEP_FRAME();
  return below + 1;
}

NOINLINE static long odd(long n, long sum);

NOINLINE static long even(long n, long sum) {
  static struct tally* mine;
  if (mine == NULL) mine = tally_find("even");
  ++mine->calls;
  if (n == 0) return sum;
  return odd(n - 1, sum + n);
}

NOINLINE static long odd(long n, long sum) {
  static struct tally* mine;
  if (mine == NULL) mine = tally_find("odd");
  ++mine->calls;
  if (n == 0) return sum;
  return even(n - 1, sum ^ n);
}

int main(int argc, char** argv) {
  if (argc < 3) return 1;
  long depth = atol(argv[2]);
  printf("%ld\n", strcmp(argv[1], "tail") == 0 ? even(depth, 0) : down(depth));
  return 0;
}
