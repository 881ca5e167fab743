// setjmp and longjmp across recorded and unrecorded frames, and callbacks from libc.
#include <setjmp.h>

#include "tally.h"

static jmp_buf back;
static int rounds;

NOINLINE static int leaf(int x) {
  CALLED();
  return x + 1;
}

NOINLINE static void deep(int depth) {
  CALLED();
  if (depth == 0) longjmp(back, 1 + leaf(1));
  deep(depth - 1);
  KEEP_FRAME();
}

NOINLINE static int catches(int depth) {
  CALLED();
  int result = setjmp(back);
  if (result == 0) deep(depth);
  return leaf(result);
}

NOINLINE static int compare(const void* a, const void* b) {
  CALLED();
  return *(const int*)a - *(const int*)b;
}

static int compare_and_jump(const void* a, const void* b) {
  CALLED();
  (void)a, (void)b;
  if (++rounds % 3 == 0) longjmp(back, 7);
  return leaf(rounds) % 2;
}

NOINLINE static int sorts_and_jumps(void) {
  CALLED();
  int numbers[64];
  for (int i = 0; i < 64; ++i) numbers[i] = i * 37 % 64;
  int result = setjmp(back);
  if (result == 0) qsort(numbers, 64, sizeof *numbers, compare_and_jump);
  return leaf(result);
}

// The same activation is jumped to many times.
NOINLINE static int loops(int times) {
  CALLED();
  volatile int n = 0;
  setjmp(back);
  n = n + 1;
  leaf(n);
  if (n < times) deep(n % 5);
  return n;
}

// Each level has its own setjmp; jumps go to the right one.
NOINLINE static int nested(int depth) {
  CALLED();
  jmp_buf mine;
  volatile int count = 0;
  setjmp(mine);
  count = count + 1;
  if (depth > 0) nested(depth - 1);
  if (count < 3) longjmp(mine, 1);
  return leaf(count);
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 50; ++i) sum += catches(i % 7);
  for (int i = 0; i < 20; ++i) sum += sorts_and_jumps();
  sum += loops(40);
  sum += nested(4);
  int numbers[100], key = 50;
  for (int i = 0; i < 100; ++i) numbers[i] = i * 37 % 100;
  qsort(numbers, 100, sizeof *numbers, compare);
  sum += bsearch(&key, numbers, 100, sizeof *numbers, compare) == &numbers[50];
  printf("%d\n", sum);
  return 0;
}
