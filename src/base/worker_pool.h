// A few threads that run tasks in the order they were given. Signals are not for them.
//
// Thread safety: submit may be called from any thread. The destructor runs what is left, then
// joins. Tasks must not throw, and must not wait for other tasks.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace vestige {

class WorkerPool {
 public:
  explicit WorkerPool(unsigned threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;

  void submit(std::function<void()> task);

 private:
  void work();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace vestige
