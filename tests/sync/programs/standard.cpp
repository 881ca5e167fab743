// The C++ library's threads and locks: they come down to pthreads.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "log.h"

static std::mutex plain;
static std::recursive_mutex recursive;
static std::timed_mutex timed;
static std::shared_mutex shared;
static std::condition_variable turned;
static std::once_flag flag, throwing;
static long plain_count, recursive_count, timed_count, shared_count, turn, runs;

static void run(log* mine, long who, long threads) {
  using namespace std::chrono_literals;
  std::call_once(flag, [] { ++runs; });
  try {
    std::call_once(throwing, [] { throw std::runtime_error("not today"); });
  } catch (const std::runtime_error&) {
  }
  for (int i = 0; i < 200; ++i) {
    {
      std::unique_lock lock(plain);
      note(mine, plain.native_handle(), plain_count++);
      while (turn % threads != who) {
        if (i % 2) turned.wait(lock);
        else turned.wait_for(lock, 1ms);
        note(mine, plain.native_handle(), plain_count++);
      }
      ++turn;
      turned.notify_all();
    }
    {
      std::scoped_lock lock(recursive);
      note(mine, recursive.native_handle(), recursive_count++);
    }
    if (timed.try_lock_for(100s)) {
      note(mine, timed.native_handle(), timed_count++);
      timed.unlock();
    }
    if (i % 2) {
      std::unique_lock lock(shared);
      note(mine, shared.native_handle(), shared_count++);
    } else {
      std::shared_lock lock(shared);
      note(mine, shared.native_handle(), -1 - shared_count);
    }
  }
}

int main() {
  constexpr long kThreads = 3;
  std::vector<log*> logs(kThreads);
  std::vector<std::thread> threads;
  for (long i = 0; i < kThreads; ++i)
    threads.emplace_back([&logs, i] { run(logs[i] = new_log(), i, kThreads); });
  for (std::thread& thread : threads) thread.join();
  for (const log* one : logs) print_log(one);
  return runs == 1 ? 0 : 1;
}
