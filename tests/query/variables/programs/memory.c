// Variables in memory: escaped locals, arrays, structs, unions, bit-fields, copies, recursion.
#include <string.h>

#include "mark.h"

struct inner {
  short a, b;
};
struct item {
  int key;
  struct inner in;
  double weight;
  char name[8];
};
struct packed {
  unsigned low : 3, middle : 7;
  int high : 5;
};
union either {
  unsigned word;
  unsigned char bytes[4];
};

static struct item items[3];
int* where;
int grid[3][4];

__attribute__((noinline)) static void add(int* to, int by) {
  *to += by;
  MARK;
}

__attribute__((noinline)) static int depth(int n, int* sum) {
  int mine = n * 10;
  add(&mine, n);
  if (n > 0) *sum += depth(n - 1, sum);
  add(sum, mine);
  MARK;
  return mine;
}

__attribute__((noinline)) static struct item make(int key) {
  struct item made = {key, {1, 2}, key / 4.0, "none"};
  made.in.b = (short)(key * 3);
  memcpy(made.name, "some", 5);
  made.name[0] = (char)('A' + key);
  MARK;
  return made;
}

__attribute__((noinline)) static long weigh(struct item by_value, long factor) {
  by_value.key *= 2;
  factor *= by_value.key;
  MARK;
  return factor;
}

int main(void) {
  int sum = 1;
  where = &sum;
  depth(3, &sum);
  *where += 5;
  MARK;
  long all = 0;
  for (int i = 0; i < 3; ++i) {
    items[i] = make(i + 1);
    all += weigh(items[i], 3);
    grid[i][i + 1] = i * 7;
    MARK;
  }
  struct packed bits;
  memset(&bits, 0, sizeof bits);
  for (int i = 0; i < 5; ++i) {
    bits.low = (unsigned)i;
    bits.middle += 9u * bits.low;
    bits.high = -i;
    MARK;
  }
  volatile union either pun;
  pun.word = 0x01020304;
  pun.bytes[1] = 0xff;
  MARK;
  int values[5] = {5, 4, 3, 2, 1};
  for (int i = 1; i < 5; ++i) {
    values[i] += values[i - 1];
    MARK;
  }
  return (int)(all + sum + values[4] + (int)pun.word + (int)bits.middle) & 63;
}
