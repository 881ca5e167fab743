// Known hot things: a table swept again and again, two threads that call the same functions,
// exceptions.
#include <pthread.h>

#include <cstdio>

static int table[40], order[12] = {3, 17, 5, 29, 11, 23, 2, 31, 19, 7, 13, 37};
static volatile long total;

__attribute__((noinline)) static int odd(int n) { return n % 2 == 0 ? n / 2 : 3 * n + 1; }

__attribute__((noinline)) static void refuse(int n) {
  if (n % 5 == 0) throw n;
  total += n;
}

__attribute__((noinline)) static int attempt(int n) {
  try {
    refuse(n);
    return 1;
  } catch (int) {
    return 0;
  }
}

static void* sweep(void* argument) {
  const long rounds = reinterpret_cast<long>(argument);
  long sum = 0;
  for (long r = 0; r < rounds; ++r) {
    for (const int at : order) sum += table[at];
    sum += odd(static_cast<int>(r));
  }
  total = sum;
  return nullptr;
}

int main() {
  for (int i = 0; i < 40; ++i) table[i] = odd(i);
  pthread_t threads[2];
  for (long t = 0; t < 2; ++t)
    pthread_create(&threads[t], nullptr, sweep, reinterpret_cast<void*>(100 + 50 * t));
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  int went_well = 0;
  for (int i = 0; i < 60; ++i) went_well += attempt(i);
  sweep(reinterpret_cast<void*>(30));
  std::printf("%d\n", went_well);
}
