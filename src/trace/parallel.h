// Runs numbered tasks on all hardware threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace vestige {

// Calls work(worker, task) for every task in [0, tasks), each once, in no order; worker is in
// [0, worker_count(tasks)) and no two calls with the same worker overlap. work returns false to
// stop the rest early. Where threads cannot be made, fewer are used.
inline size_t worker_count(size_t tasks) {
  return std::clamp<size_t>(std::thread::hardware_concurrency(), 1, std::max<size_t>(tasks, 1));
}

template <class Work>
void run_parallel(size_t tasks, const Work& work) {
  std::atomic<size_t> next{0};
  auto worker = [&](size_t index) {
    for (size_t task; (task = next.fetch_add(1)) < tasks;)
      if (!work(index, task)) next = tasks;
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < worker_count(tasks); ++i) {
    try {
      threads.emplace_back(worker, i);
    } catch (const std::system_error&) {
      break;
    }
  }
  worker(0);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace vestige
