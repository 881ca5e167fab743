// Loops, scopes of the same name, kinds of scalars, globals and statics.
#include "mark.h"

int total;
static unsigned char flags = 3;
double scale = 0.5;
enum color { RED, GREEN = 5, BLUE };

__attribute__((noinline)) static long collatz(long n) {
  long steps = 0;
  while (n != 1) {
    if (n % 2)
      n = 3 * n + 1;
    else
      n /= 2;
    ++steps;
    MARK;
  }
  return steps;
}

__attribute__((noinline)) static int next(void) {
  static int serial = 40;
  serial += 2;
  MARK;
  return serial;
}

__attribute__((noinline)) static enum color paint(int i, unsigned short how, signed char by) {
  enum color c = i % 3 == 0 ? RED : i % 3 == 1 ? GREEN : BLUE;
  _Bool odd = i & 1;
  by -= (signed char)(2 * i);
  how = (unsigned short)(how * 300);
  MARK;
  flags ^= (unsigned char)(how + by + odd);
  return c;
}

int main(int argc, char** argv) {
  float ratio = 1;
  (void)argv;
  for (int i = 0; i < 6; ++i) {
    int square = i * i;
    total += square;
    MARK;
    ratio *= 1.5f;
    scale += ratio;
    MARK;
  }
  for (unsigned i = 10; i > 4; i -= 3) {
    unsigned long long wide = i * 1000000007ull * (unsigned)argc;
    MARK;
    total ^= (int)wide;
  }
  {
    int total = -1;
    total += argc;
    MARK;
    next();
    (void)total;
  }
  for (int i = 0; i < 4; ++i) total += paint(i, 1000, 3) + next();
  const long steps = collatz(6);
  MARK;
  return (total + (int)steps) & 63;
}
