// What comes before what in every schedule.
//
// Who takes a lock first is chance, and so it is with atomic read-modify-writes and semaphores that
// begin above 0: they order nothing here. Creation and join, barriers, signals and the like do
// (threads/operations.h).
//
// A *stage* of a thread is what lies between two of its operations that may have to do with such
// edges. What stages know of other threads only grows.
//
// Memory: a stage for each such operation, a clock for each that learned something. One owner
// thread.
#pragma once

#include <cstdint>
#include <vector>

#include "query/order/operations.h"

namespace vestige::threads {

// The edges to read operations with.
inline const OperationOptions kStageEdges = {.outcomes = false, .chances = false};

class Stages {
 public:
  explicit Stages(size_t threads) : threads_(threads) {}

  // The next one in the order.
  void operation(const Operation& op);
  // That of what the thread does until its next operation.
  uint32_t now(uint32_t thread) const {
    return static_cast<uint32_t>(threads_[thread].stages.size() - 1);
  }
  // Whether a stage of thread a is over when one of thread b begins.
  bool before(uint32_t a, uint32_t stage_of_a, uint32_t b, uint32_t stage_of_b) const;

 private:
  // By thread: the last operation known, by its place in the order.
  using Known = std::vector<uint64_t>;
  struct Stage {
    uint64_t end = UINT64_MAX;  // the thread's operation behind it
    uint32_t known = 0;         // Thread::known
  };
  struct Thread {
    std::vector<Stage> stages = {{}};
    std::vector<Known> known = {{}};
    std::vector<uint64_t> since = {0};  // operations that learned the above
  };

  static void begin_stage(Thread& thread, uint64_t end, const Known& known);
  const Known& known_at(uint32_t thread, uint64_t operation) const;

  std::vector<Thread> threads_;
  std::vector<uint32_t> who_ = {kNone};  // by operation
};

}  // namespace vestige::threads
