#include <stdio.h>

struct point {
  int x, y;
};
enum color { RED, GREEN, BLUE };

int calls;

__attribute__((noinline)) static int scaled(int value, int by) {
  ++calls;
  int result = value * by;
  return result;
}

static void move(struct point* p, int dx) { p->x += dx; }

int main(int argc, char** argv) {
  struct point here = {1, 2};
  enum color c = RED;
  double mean = 0;
  for (int i = 0; i < 2 + argc; ++i) {
    move(&here, scaled(i, 10));
    mean += here.x / 4.0;
    c = (enum color)i;
  }
  for (int i = 9; i > 7; --i) calls += i;
  char letters[4] = "abc";
  letters[1] = 'x';
  printf("%d %d %g %s %d\n", here.x, c, mean, letters, calls);
  return 0;
}
