// A little of everything that values can be: trees, callbacks from unrecorded code, floating point, bytes and bit-fields, 128-bit
// and vector arithmetic, variable arguments, structures by value, shifts by anything, overflow.
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
  int key;
  struct node *left, *right;
  double weight;
};
struct flags {
  unsigned small : 3, large : 17;
  signed odd : 5;
};
struct wide {
  long parts[6];
};
typedef int lanes __attribute__((vector_size(16)));

static struct node* insert(struct node* at, int key) {
  if (!at) {
    at = calloc(1, sizeof *at);
    at->key = key;
    at->weight = key * 0.5 + 1.0 / (key + 3);
    return at;
  }
  if (key < at->key)
    at->left = insert(at->left, key);
  else
    at->right = insert(at->right, key);
  return at;
}
static double weigh(const struct node* at) {
  return at ? at->weight + weigh(at->left) + weigh(at->right) : 0;
}
static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
static long total(int count, ...) {
  va_list list;
  va_start(list, count);
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += i % 2 ? (long)va_arg(list, double) : va_arg(list, int);
  va_end(list);
  return sum;
}
static struct wide turned(struct wide w, int by) {
  struct wide out;
  for (int i = 0; i < 6; ++i) out.parts[i] = w.parts[(i + by) % 6] * 3;
  return out;
}
static uint64_t shifts(uint64_t x, unsigned by) {
  return (x << (by & 63)) ^ (x >> ((64 - by) & 63)) ^ (uint64_t)((int32_t)x >> (by & 31));
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 100;
  unsigned seed = 12345;
  struct node* root = 0;
  int* values = malloc(n * sizeof *values);
  struct flags flags = {0};
  lanes sum = {1, 2, 3, 4};
  __int128 product = 1;
  uint64_t hash = 1469598103934665603u;
  char text[64] = "";
  struct wide wide = {{1, 2, 3, 4, 5, 6}};
  for (int i = 0; i < n; ++i) {
    seed = seed * 1103515245u + 12345u;
    values[i] = (seed >> 16) % 1000;
    root = insert(root, values[i]);
    flags.small += values[i];
    flags.large ^= seed;
    flags.odd -= i;
    sum = sum * (lanes){values[i], i, 3, -1} + (lanes){i, i, i, i};
    product = product * (seed | 1) + i;
    hash = shifts(hash ^ seed, seed % 97);
    snprintf(text, sizeof text, "%x", seed);
    for (const char* c = text; *c; ++c) hash = hash * 31 + (unsigned char)*c;
    wide = turned(wide, i);
    if (i % 7 == 0) memmove(text + 1, text, 8);
  }
  qsort(values, n, sizeof *values, compare);
  long order = 0;
  for (int i = 0; i < n; ++i) order = order * 31 + values[i];
  const float narrow = (float)weigh(root) * 1.1f;
  printf("%ld %.6f %.3f %u %u %d\n", order, weigh(root), narrow, flags.small, flags.large,
         flags.odd);
  printf("%d %d %d %d %llx %llx\n", sum[0], sum[1], sum[2], sum[3], (unsigned long long)hash,
         (unsigned long long)(product >> 64));
  printf("%ld %ld %.9f %d\n", total(4, 1, 2.5, 3, 4.5), wide.parts[2], sqrt(weigh(root)) + sin(n),
         (int)floor(narrow));
  return 0;
}
