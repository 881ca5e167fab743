// Loops that vectorizers take to: all widths, conversions, conditions, gathers, reductions.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define N 203
#define FAR __attribute__((noinline))
static int ints[N], others[N], places[N];
static short shorts[N];
static unsigned char bytes[N];
static double doubles[N], results[N];
static float floats[N];
static long longs[N];
struct item {
  int key, weight;
};
static struct item items[N];

static FAR void fill(unsigned seed) {
  for (int i = 0; i < N; ++i) {
    seed = seed * 1103515245 + 12345;
    ints[i] = (int)(seed >> 8) - (1 << 20);
    bytes[i] = (unsigned char)(seed >> 13);
    shorts[i] = (short)(seed >> 11);
    places[i] = (int)((seed >> 16) % N);
    doubles[i] = (double)(seed % 1000) / 7;
    floats[i] = (float)(seed % 77) - 30;
    longs[i] = (long)seed * 77;
    items[i].key = (int)(seed & 63);
    items[i].weight = (int)(seed >> 20);
  }
}
static FAR void scale(double* restrict to, const double* restrict from, double by) {
  for (int i = 0; i < N; ++i) to[i] = from[i] * by + to[i];
}
static FAR long sum_bytes(void) {
  long sum = 0;
  for (int i = 0; i < N; ++i) sum += bytes[i] * (long)shorts[i];
  return sum;
}
static FAR void choose(void) {
  for (int i = 0; i < N; ++i)
    if (ints[i] > others[i])
      others[i] = ints[i] >> (i & 7);
    else if (bytes[i] & 1)
      ints[i] += shorts[i];
}
static FAR void gather(void) {
  for (int i = 0; i < N; ++i) others[i] += ints[places[i]];
  for (int i = 0; i < N; ++i) items[i].weight += items[i].key * 3;
}
static FAR int most(void) {
  int best = 0;
  for (int i = 0; i < N; ++i) best = ints[i] > best ? ints[i] : best;
  unsigned char low = 255;
  for (int i = 0; i < N; ++i) low = bytes[i] < low ? bytes[i] : low;
  return best ^ low;
}
static FAR void convert(void) {
  for (int i = 0; i < N; ++i) floats[i] = (float)ints[i] * 0.5f;
  for (int i = 0; i < N; ++i) doubles[i] += floats[i];
  for (int i = 0; i < N; ++i) longs[i] = (long)doubles[i] ^ (longs[i] << 3);
  for (int i = 0; i < N; ++i) shorts[i] = (short)(longs[i] >> 5);
  for (int i = 0; i < N; ++i) results[i] = sqrt(fabs(doubles[i])) + fmax(floats[i], 1);
}
static FAR unsigned scan(const char* text) {
  unsigned hash = 0;
  for (; *text; ++text) hash = hash * 31 + (unsigned char)*text;
  return hash;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 3;
  long total = 0;
  for (int r = 0; r < rounds; ++r) {
    fill((unsigned)r + 7);
    scale(results, doubles, 1.5);
    choose();
    gather();
    convert();
    scale(doubles, results, -0.25);
    total += sum_bytes() + most() + others[r % N] + items[r % N].weight;
  }
  printf("%ld %.6g %.6g %u\n", total, doubles[17], results[100], scan("vectorized"));
  return 0;
}
