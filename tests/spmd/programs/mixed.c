// Functions that have a body of their own for addresses beside functions that tell all: what the
// ones leave out in memory, the others find addresses with, and give back.
#include <stdio.h>
#include <string.h>

enum { kPlaces = 64 };
static int table[kPlaces], counts[kPlaces];
static double weights[kPlaces];

// Leaves out nearly everything: sums in memory.
__attribute__((noinline)) static void count(const int* from, int n) {
  for (int i = 0; i < n; ++i) counts[i % kPlaces] += from[i % kPlaces] * 3 + 1;
}

// Tells all: no floating point, hardly a sum. Its subscripts were computed by the others.
__attribute__((noinline)) static int walk(int at, int steps) {
  for (int i = 0; i < steps; ++i) {
    const int next = (counts[at] & 0x7fffffff) % kPlaces;
    if (next == at) at = (at + 1) % kPlaces;
    table[at] ^= next + i;
    table[next] = at;
    at = next;
  }
  return at;
}

// Floating point that becomes a subscript.
__attribute__((noinline)) static int weigh(int at, int rounds) {
  double sum = 0;
  for (int i = 0; i < rounds; ++i) {
    weights[(at + i) % kPlaces] += table[i % kPlaces] / 7.0;
    sum += weights[i % kPlaces];
  }
  return (int)(sum < 0 ? -sum : sum) % kPlaces;
}

// Floating point's bytes read as integers, and written back as such.
__attribute__((noinline)) static int pun(int at) {
  unsigned long bits;
  memcpy(&bits, &weights[at], sizeof bits);
  table[bits % kPlaces]++;
  bits ^= 1;
  memcpy(&weights[at], &bits, sizeof bits);
  return (int)(bits >> 40) % kPlaces;
}

int main(void) {
  int at = 1;
  for (int i = 0; i < kPlaces; ++i) table[i] = i * 37 % 101;
  for (int round = 0; round < 300; ++round) {
    count(table, 20 + round % 90);
    at = walk(at, 1 + round % 17);
    at = weigh(at, 5 + round % 40);
    at = pun((at + round) % kPlaces) & (kPlaces - 1);
  }
  printf("%d\n", at);
  return 0;
}
