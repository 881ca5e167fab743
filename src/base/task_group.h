// The tasks that one owner has in a pool: how many are left, and waiting for them. Without a pool a
// task is done when it was given.
//
// Thread safety: run() and wait() are the owner's; what a task wrote is the owner's to read when
// the task no longer counts. The group goes before what its tasks use: its end waits for them.
#pragma once

#include "base/worker_pool.h"

namespace vestige {

class TaskGroup {
 public:
  // `pool` may be null; otherwise it outlives the group. `behind` is called behind each task of the
  // pool that no longer counts, and must not come back to the group.
  explicit TaskGroup(WorkerPool* pool, std::function<void()> behind = {})
      : pool_(pool), behind_(std::move(behind)) {}
  ~TaskGroup() { wait(); }
  TaskGroup(const TaskGroup&) = delete;

  template <class Task>
  void run(Task task) {
    if (pool_ == nullptr) return task();
    {
      const std::lock_guard lock(mutex_);
      ++left_;
    }
    pool_->submit([this, task = std::move(task)]() mutable {
      task();
      // To the end: who waits may end the group as soon as it can.
      const std::lock_guard lock(mutex_);
      --left_;
      if (behind_) behind_();
      fewer_.notify_all();
    });
  }
  bool busy() const {
    const std::lock_guard lock(mutex_);
    return left_ != 0;
  }
  // Until at most so many are left.
  void wait(size_t most = 0) {
    std::unique_lock lock(mutex_);
    fewer_.wait(lock, [&] { return left_ <= most; });
  }

 private:
  WorkerPool* const pool_;
  const std::function<void()> behind_;
  mutable std::mutex mutex_;
  std::condition_variable fewer_;
  size_t left_ = 0;
};

}  // namespace vestige
