// __builtin_setjmp comes back again, with another value, out of a call and within its own activation.
#include <stdio.h>

static void* place[5];

__attribute__((noinline)) static int deeper(int depth) {
  if (depth == 0) __builtin_longjmp(place, 1);
  return deeper(depth - 1) + 1;
}

__attribute__((noinline)) static int try(int depth) {
  volatile int reached = 0;
  if (__builtin_setjmp(place) == 0) {
    reached += 10;
    reached += deeper(depth);
  } else {
    reached += 100;
  }
  return reached;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 5; ++i) sum += try(i) + i;
  printf("%d\n", sum);
  return 0;
}
