// A counting sort: numbers that loops compute in memory from numbers in memory become addresses elsewhere.
// So do sums that callees get without a name, and sums that say how many bytes printf reads.
#include <stdarg.h>
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

__attribute__((noinline)) static int pick(const int* from, int n, ...) {
  va_list list;
  va_start(list, n);
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += from[va_arg(list, int) % kCount];
  va_end(list);
  return sum;
}

__attribute__((noinline)) static int sum_of(const unsigned char* numbers, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += numbers[i];
  return sum;
}

__attribute__((noinline)) static void tell(int n) {
  int sum = 0, more = 0, shown = 0;
  for (int i = 0; i < n; ++i) sum += in[i];
  for (int i = 0; i < n; ++i) more += order[i] & 7;
  for (int i = 0; i < n; ++i) shown += key[i];
  printf("%d %d ", pick(order, 3, sum, 5, sum_of(in, n)), shown);
  printf("%.*s\n", more, "abcdefghijklmnopqrstuvwxyz");
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
  for (int n = 1; n < 8; ++n) tell(n);
}
