// A counting sort: numbers that loops compute in memory from numbers in memory become addresses elsewhere.
#include <stdio.h>

enum { kCount = 3000 };
static unsigned char in[kCount];
static unsigned begin[257];
static int order[kCount], key[kCount];

__attribute__((noinline)) static void add_up(unsigned* numbers, int n) {
  for (int i = 1; i < n; ++i) numbers[i] += numbers[i - 1];
}

__attribute__((noinline)) static void scale(int* to, const int* from, int n) {
  for (int i = 0; i < n; ++i) to[i] = from[i] * 3 + 1;
}

int main(void) {
  for (int i = 0; i < kCount; ++i) in[i] = (unsigned char)(i * 37 + i / 7);
  for (int i = 0; i < kCount; ++i) begin[in[i] + 1]++;
  add_up(begin, 257);
  for (int i = 0; i < kCount; ++i) order[begin[in[i]]++] = i;
  scale(key, order, kCount);
  long sum = 0;
  for (int i = 0; i < kCount; ++i) sum += in[key[i] % kCount] ^ order[i];
  printf("%ld\n", sum);
}
