// Loops whose addresses move by steps, or only seem to: narrow indices that wrap around, integers that are stored and lead
// to addresses later, stores that overlap, values that are carried. Argument: how many rounds.
#include <stdio.h>
#include <stdlib.h>

#define LOOP __attribute__((noinline)) static
enum { N = 1 << 17 };
static double d[N];
static unsigned char u1[N];
static short s2[N];
static int i4[N];
static long i8[N];

LOOP void narrow_unsigned(int n, unsigned char v, unsigned char step) {
  for (int k = 0; k < n; ++k, v += step) d[v] += 1;
}
LOOP void narrow_signed(int n, signed char v, signed char step) {
  for (int k = 0; k < n; ++k, v += step) d[v + 128] += 1;
}
LOOP void narrow_short(int n, unsigned short v, unsigned short step) {
  for (int k = 0; k < n; ++k, v += step) d[v] = k;
}
LOOP void narrow_product(int n, unsigned char v) {
  for (int k = 0; k < n; ++k, ++v) d[(unsigned char)(v * 7)] = d[(unsigned short)(v << 3)];
}
LOOP void downwards(int n) {
  for (int k = n; k-- > 0;) d[k] = d[2 * k + 1];
}
LOOP void pairs(long n) {
  for (long k = 0; k < n; k += 4) d[k] = d[k | 1] + d[k | 3];
}
LOOP void joined(long n) {
  for (long k = 0; k < n; ++k) d[k | 5] = d[k | 8];
}
LOOP void rows(long n, long width) {
  for (long k = 0; k < n; ++k) d[(k * width) % N] = 1;
  for (long k = 0; k < n && k * width < N; ++k) d[k * width] = 2;
}

LOOP void store_numbers(int n, int step) {
  for (int k = 0; k < n; ++k) {
    u1[k] = (unsigned char)(k * step);
    s2[k] = (short)(k * step);
    i4[k] = k * step;
    i8[k] = (long)k * step;
  }
}
LOOP void store_constants(int n, int to, int what) {
  for (int k = 0; k < n; ++k) i4[to + k] = what;
}
// What the next round stores over, and what it does not.
LOOP void store_overlapping(char* at, long n, long step) {
  for (long k = 0; k < n; ++k) {
    *(int*)(at + 8 * k) = (int)(k & 1023);
    *(short*)(at + 8 * k + step) = 5;
    *(unsigned char*)(at + 4 * k) = 7;
  }
}
LOOP void follow(int n) {
  for (int k = 0; k < n; ++k) d[u1[k]] += d[(unsigned short)s2[k]] + d[(unsigned)i4[k] % N] + d[(unsigned long)i8[k] % N];
}
LOOP int sums(int n) {
  int sum = 0;
  for (int k = 0; k < n; ++k) {
    sum += i4[k];
    i4[k] = sum & 1023;
  }
  return sum;
}
LOOP long chase(int n, long at) {
  for (int k = 0; k < n; ++k) at = (i4[at] + 1) & 1023;
  return at;
}
LOOP void copy_numbers(int n) {
  for (int k = 0; k < n; ++k) i4[k + 4096] = i4[k];
}
LOOP void carried_back(int n) {
  long before = 0;
  for (long k = 1; k < n; ++k) {
    d[before] = d[k];
    before = k * 2;
  }
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 300;
  long result = 0;
  for (int r = 0; r < 3; ++r) {
    narrow_unsigned(n, (unsigned char)(200 + r), 1);
    narrow_unsigned(n, 9, (unsigned char)-3);
    narrow_signed(n, 100, 1);
    narrow_signed(n, -100, -7);
    narrow_short(n, 65400, 1);
    narrow_short(n, 40, 0xffff);
    narrow_product(n, (unsigned char)r);
    downwards(n);
    pairs(n);
    joined(n);
    rows(n, 1000 + r);
    store_numbers(n, 3 + r);
    follow(n);
    store_constants(n / 2, 1, 77);
    follow(n);
    store_overlapping((char*)i4, n / 2, 6 - 2 * r);
    follow(n);
    result += sums(n);
    follow(n);
    result += chase(n, r);
    copy_numbers(n);
    follow(n);
    carried_back(n);
  }
  printf("%ld\n", result);
}
