// Rows that come again: loops that call functions with irregular loops inside.
#include <stdio.h>
#include <stdlib.h>
enum { N = 1 << 12 };
static double d[64 * N], e[64 * N];
static int order[64];
volatile int sink;
__attribute__((noinline)) static void shuffle(double* x, int n, int step) {
  for (int i = 1, j = 0; i < n; ++i) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) x[i * step] += x[j * step];
  }
}
__attribute__((noinline)) static double at(const double* x, int i) { return x[i] + x[2 * i]; }
__attribute__((noinline)) static int where(int i) { return order[i & 63]; }
__attribute__((noinline)) static double sum(const double* x, unsigned char from, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[(unsigned char)(from + i)];
  return s;
}
int main(int argc, char** argv) {
  const int rows = argc > 1 ? atoi(argv[1]) : 40;
  double s = 0;
  for (int i = 0; i < 64; ++i) order[i] = i * 7 % 64;
  for (int r = 0; r < rows; ++r) shuffle(d + r * 64, 64, 1);                     // rows one behind the other
  for (int r = 0; r < rows; ++r) shuffle(d, 64, 1);                              // the same place
  for (int r = 0; r < rows; ++r) shuffle(d + r * r, 64, 1);                      // further and further apart
  for (int r = 0; r < rows; ++r) shuffle(d + (r & 7) * 64, 64, 1);               // eight places
  for (int r = 0; r < rows; ++r) shuffle(d + r * 64, r == rows / 2 ? 32 : 64, 1);  // another one among them
  for (int r = 0; r < rows; ++r) shuffle(d, 64, r % 50 + 1);                     // each number has a step of its own
  for (int r = 0; r < rows; ++r) shuffle(r % 3 == 2 ? e : d, 64, 1);             // three by three
  for (int r = 0; r < rows; ++r) shuffle(r % 2 ? e + r : d + r, 64, 1);          // two by two
  for (int r = 0; r < rows; ++r) shuffle(d + where(r) * 64, 64, 1);              // wherever memory says
  for (int r = 0; r < rows; ++r) s += at(d, r) + at(e, 3 * r);
  for (int r = 0; r < rows * 9; ++r) s += sum(d, r, 40) + sum(e, 2 * r, 3);      // narrow numbers that wrap around
  for (int q = 0; q < 12; ++q)
    for (int r = 0; r < rows; ++r) {
      for (int k = 0; k < 9; ++k) d[q * 64 + r + k * 5] += 1;
      shuffle(e + q * N + r, 32, 1);
      order[r & 63] = r % 64;                                                    // integers are stored
    }
  for (int r = 0; r < rows; ++r) { shuffle(d + r * 8, 64, 1); sink = r; if (r % 100 == 99) shuffle(e, 16, 3); }
  unsigned char c = 0;
  for (int r = 0; r < rows * 3; ++r) { shuffle(d + c, 16, 1); c += 5; }
  printf("%g\n", s);
  return 0;
}
