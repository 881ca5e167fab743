// What structs.c and structs_more.c share.
#pragma once
#include "mark.h"

struct point {
  int x, y;
};
struct elsewhere {
  struct point at;
  char text[10];
};
extern int NR;
extern double rate;
extern struct elsewhere elsewhere;
extern struct point line_of_points[4];
void use_elsewhere(void);

// Each file has its own.
static int per_file = 10;
static struct point last_in_file = {1, 1};
__attribute__((noinline)) static int bump(int by) {
  per_file += by;
  last_in_file.x = per_file;
  MARK;
  return last_in_file.y += per_file;
}
