// std::thread, std::async, thread_local destructors, and a detached thread at exit.
#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include "tally.h"

extern "C" {
NOINLINE static long leaf(long x) {
  CALLED();
  return x + 1;
}
NOINLINE static void at_thread_end() {
  CALLED();
  leaf(1);
}
NOINLINE static void detached_step() { leaf(2); }
}

struct Ends {
  long touched = 0;
  ~Ends() { at_thread_end(); }
};
thread_local Ends ends;

int main() {
  long sum = 0;
  for (int round = 0; round < 5; ++round) {
    std::vector<std::thread> threads;
    for (long i = 0; i < 8; ++i) threads.emplace_back([i] { ends.touched = leaf(i); });
    for (auto& thread : threads) thread.join();
  }
  std::vector<std::future<long>> futures;
  for (long i = 0; i < 16; ++i) futures.push_back(std::async(std::launch::async, leaf, i));
  for (auto& future : futures) sum += future.get();
  std::atomic<bool> runs{false};
  std::thread([&runs] {
    runs = true;
    for (;;) detached_step();
  }).detach();
  while (!runs) std::this_thread::yield();
  std::printf("%ld\n", sum);
  return 0;
}
