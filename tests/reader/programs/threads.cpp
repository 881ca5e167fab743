// Threads, atomics and a lock.
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

static std::atomic<int> total;
static std::mutex lock;
static long sum;

static int collatz(int n) {
  int steps = 0;
  for (; n != 1; ++steps) n = n % 2 ? 3 * n + 1 : n / 2;
  return steps;
}

static void work(int from, int to) {
  for (int n = from; n < to; ++n) {
    const int steps = collatz(n);
    total.fetch_add(steps, std::memory_order_relaxed);
    const std::lock_guard guard(lock);
    sum += steps;
  }
}

int main(int argc, char** argv) {
  const int each = argc > 1 ? std::atoi(argv[1]) : 100;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(work, 1 + each * t, each + each * t);
  for (std::thread& thread : threads) thread.join();
  return total == sum ? 0 : 1;
}
