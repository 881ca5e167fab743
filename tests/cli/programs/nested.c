// Calls inside of loops, recursion, and a path that is taken once.
#include <stdio.h>
#include <stdlib.h>

static int leaf(int n) {
  if (n % 7 == 3) return n / 2;
  return n + 1;
}

static int tree(int depth) {
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    sum += leaf(i + depth);
    if (depth > 0) sum += tree(depth - 1);
  }
  return sum;
}

int main(int argc, char** argv) {
  int depth = argc > 1 ? atoi(argv[1]) : 3;
  int sum = tree(depth);
  for (int i = 0; i < 50; ++i) {
    if (i == 41)
      sum += leaf(1000);
    else
      sum += leaf(i);
  }
  printf("%d\n", sum);
  return 0;
}
