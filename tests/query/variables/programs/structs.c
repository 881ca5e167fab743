// Structs as values: large ones, copies, results, arguments, unions, bit-fields; texts that library functions make; globals of
// another file.
#include "structs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>

#include "mark.h"

#define TEN(m, n) int m(n##0); int m(n##1); int m(n##2); int m(n##3); int m(n##4); int m(n##5); int m(n##6); int m(n##7); int m(n##8); int m(n##9);
#define HUNDRED(m, n) TEN(m, n##0) TEN(m, n##1) TEN(m, n##2) TEN(m, n##3) TEN(m, n##4) TEN(m, n##5) TEN(m, n##6) TEN(m, n##7) TEN(m, n##8) TEN(m, n##9)
#define F(n) field##n
#define G(n) member##n

struct server {
  HUNDRED(F, 1)
  HUNDRED(F, 2)
  char name[16];
  struct point at[3];
};
struct thousand {
  HUNDRED(G, 1) HUNDRED(G, 2) HUNDRED(G, 3) HUNDRED(G, 4) HUNDRED(G, 5)
  HUNDRED(G, 6) HUNDRED(G, 7) HUNDRED(G, 8) HUNDRED(G, 9) HUNDRED(G, 0)
};
struct order {
  int id;
  struct point from, to;
  struct { short low, high; } range;
  char text[12];
  double weight;
};
struct pair { long a, b; };
struct mixed { double d; int i; };
struct floats { float x, y; };
struct flags { unsigned a : 3, b : 11; int c : 9; unsigned char d; };
union any { int i; float f; unsigned char bytes[8]; struct point p; };

struct server server;
struct thousand thousand;
struct point table[2][3] = {{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}};
int counts[5] = {1, 2, 3};
const char *names[] = {"one", "two", 0};
static long unused_here = 77;
static int zeros[40];
double ratio = 0.25;

__attribute__((noinline)) static struct order plus(struct order o, int by) {
  o.id += by;
  o.to.x += by;
  o.weight *= 2;
  MARK;
  return o;
}
__attribute__((noinline)) static struct pair swapped(struct pair p) {
  struct pair q = {p.b, p.a};
  MARK;
  return q;
}
__attribute__((noinline)) static struct mixed mix(int i) {
  struct mixed m = {i / 8.0, i};
  return m;
}
__attribute__((noinline)) static struct floats two(float x) {
  struct floats f = {x, x * 2};
  return f;
}
__attribute__((noinline)) static int unread(struct order never_read, struct order *pointer) {
  int local = pointer->id;
  MARK;
  return local;
}
__attribute__((noinline)) static int next(void) {
  static int calls = 3;
  static struct point last = {5, 6};
  last.x += ++calls;
  struct point copy = last;
  MARK;
  return copy.x;
}

static void large(void) {
  server.field100 = 5;
  server.field299 = 6;
  strcpy(server.name, "redis");
  server.at[1].y = 9;
  thousand.member100 = 1;
  thousand.member099 = 99;
  struct server mine = server;
  mine.field150 = 15;
  MARK;
  server = mine;
  memset(&mine, 0, sizeof mine);
  MARK;
}

static void copies(void) {
  struct order o = {1, {2, 3}, {4, 5}, {6, 7}, "text", 1.5};
  struct order copy = o;
  copy.id = 9;
  struct order all[3];
  all[0] = o;
  all[1] = copy;
  memcpy(&all[2], &all[0], sizeof all[0]);
  MARK;
  o = plus(copy, 3);
  all[1] = plus(all[0], 1);
  memmove(&all[0], &all[1], 2 * sizeof all[0]);
  MARK;
  struct pair p = swapped((struct pair){10, 20});
  struct mixed m = mix(5);
  struct floats f = two(1.25f);
  union any u = {.i = 0x40490fdb};
  union any v = u;
  v.p.y = 3;
  struct flags bits = {5, 1000, -100, 200};
  struct flags same = bits;
  same.b = 77;
  MARK;
  struct order *heap = malloc(2 * sizeof *heap);
  heap[0] = o;
  heap[1] = all[0];
  struct order back = heap[1];
  heap = realloc(heap, 1000 * sizeof *heap);
  struct order moved = heap[0];
  struct pair *clear = calloc(3, sizeof *clear);
  struct pair nothing = clear[1];
  unread(moved, &back);
  MARK;
  free(heap);
  free(clear);
}

static const char *const literals[] = {"first", "the second", ""};
static void put_text(char *to, const char *from) {
  strcpy(to, from);
  MARK;
}

static void texts(void) {
  char given[3][12];
  ftok(literals[0], 1);  // unrecorded code that gets a literal does not write to it
  for (int i = 0; i < 3; ++i) put_text(given[i], literals[i]);
  MARK;
  char a[16], b[32], c[8], d[20], e[40], line[64];
  strcpy(a, "alpha");
  strcpy(b, a);
  strcat(b, "-beta");
  strncpy(c, "abc", sizeof c);
  memset(d, 'x', 5);
  d[5] = 0;
  char *twice = strdup(b);
  char again[32];
  strcpy(again, twice);
  char *end = stpcpy(d + 5, "yz");
  strncat(d, "123456", 3);
  MARK;
  snprintf(e, sizeof e, "%s:%d", a, 42);
  fgets(line, sizeof line, stdin);
  char first = line[0];
  for (char *p = e; *p; ++p) first ^= *p;
  for (char *p = line; *p; ++p) first ^= *p;
  struct order named = {.id = 1};
  strcpy(named.text, a);
  struct order copied = named;
  MARK;
  free(twice);
  (void)end;
}

// Arguments that are copied on the way to functions of which nothing is asked.
struct passed { long d[6]; };
struct many { long d[100]; };
struct passed kept, other;
struct many whole;
__attribute__((noinline)) static void leave(struct passed v, int n) {
  v.d[2] = n;
  kept.d[0] += v.d[2];
}
__attribute__((noinline)) static void keep(struct passed v, int n) {
  v.d[0] = n;
  kept = v;
}
__attribute__((noinline)) static void fill(struct many v, int n) {
  for (int i = 0; i < 100; ++i) v.d[i] = n;
  whole.d[0] = v.d[1];
}
__attribute__((noinline)) static void keep_whole(struct many v, int n) {
  v.d[0] = n;
  whole = v;
}
static void (*volatile by_address[])(struct many, int) = {fill, keep_whole};
__attribute__((noinline)) static long listed(int n, ...) {
  va_list list;
  va_start(list, n);
  other = va_arg(list, struct passed);
  MARK;
  va_end(list);
  va_start(list, n);
  MARK;
  struct passed again = va_arg(list, struct passed);
  again.d[3]++;
  va_list more;
  va_copy(more, list);
  MARK;
  kept = va_arg(more, struct passed);
  va_end(more);
  va_end(list);
  long sum = 0;
  for (int i = 0; i < 6; ++i) sum += other.d[i] + again.d[i] + kept.d[i];
  return sum;
}
static void arguments(void) {
  struct passed a, b;
  for (int i = 0; i < 6; ++i) a.d[i] = 100 + i, b.d[i] = 200 + i;
  leave(a, 3);
  keep(b, 36);
  MARK;
  long sum = listed(1, a, b) + listed(2, b, a);
  struct many c;
  for (int i = 0; i < 100; ++i) c.d[i] = 1000 + i;
  by_address[0](c, 5);
  by_address[1](c, 6);
  for (int i = 0; i < 100; ++i) sum += whole.d[i];
  MARK;
  unused_here += sum & 1;
}

int main(void) {
  large();
  arguments();
  copies();
  texts();
  next();
  next();
  bump(1);
  use_elsewhere();
  bump(2);
  NR += 2;
  elsewhere.at.x = NR;
  unused_here += zeros[3];
  counts[4] = next();
  MARK;
  return names[0][0] == 'x';
}
