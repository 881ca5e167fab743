// Values that do not fit into 64 bits.
#include <stdio.h>

typedef int lanes __attribute__((vector_size(16)));
typedef __int128 longer;
struct pair {
  long first, second;
};

static __attribute__((noinline)) struct pair swapped(struct pair p) {
  struct pair r = {p.second, p.first + 1};
  return r;
}
static __attribute__((noinline)) lanes twice(lanes v) {
  lanes r = v + v;
  return r;
}

int main(void) {
  longer product = 1;
  long double sum = 0;
  lanes v = {1, -2, 3, -4};
  struct pair p = {1, 10};
  for (int i = 1; i <= 3; ++i) {
    product *= -100000000007;
    sum += 1.0L / 3;
    v = twice(v);
    p = swapped(p);
  }
  printf("%.20Lg %d %ld %d\n", sum, v[1], p.first, (int)(product >> 64));
  return 0;
}
