// Replays one thread, chunk by chunk, and checks each path against the program: it must exist, and
// it must be able to follow what its activation did before.
//
// One owner thread. Memory: the call stack (bounded by kMaxDepth) and one decoded block.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "store/chunks.h"
#include "trace/path_facts.h"

namespace vestige {

// Sentences, with a limit: a file damaged everywhere should not fill the memory with complaints.
class Problems {
 public:
  explicit Problems(std::vector<std::string>& list) : list_(list) {}
  void add(uint64_t offset, const std::string& what);
  void add(const std::string& what);

 private:
  static constexpr size_t kMost = 100;
  std::vector<std::string>& list_;
};

class ThreadCheck {
 public:
  ThreadCheck(uint32_t thread, PathFactTable& facts, const std::vector<Function>& functions,
              Problems& problems)
      : thread_(thread), facts_(facts), functions_(functions), problems_(problems) {}

  // The thread's next control chunk, in file order. `offset` is where it lies in the file.
  void chunk(const ControlChunk& chunk, uint64_t offset);

  uint64_t paths() const { return paths_; }
  uint64_t statements() const { return statements_; }
  uint64_t end_time() const { return next_time_ - 1; }  // time of the last path so far

 private:
  static constexpr size_t kMaxDepth = size_t{1} << 24;
  struct Activation {
    uint32_t path = 0;  // 0: unknown
    // Control came here by other means than call and return: anything may follow.
    bool free = false;
    uint64_t time = 0;
  };
  void check_stack(const ControlChunk& chunk, uint64_t offset);
  void check_depth(const ControlChunk& chunk, uint64_t offset);
  void take_stack(const StackChange& change);
  void apply(const Event& event, uint64_t offset);
  bool step(uint32_t id, uint64_t time, uint64_t offset);
  bool may_follow(const PathFacts& before, const PathFacts& path) const;
  // Starts behind a call that may return twice.
  bool comes_back(const PathFacts& path) const;
  std::string name(const PathFacts& path) const;

  uint32_t thread_;
  PathFactTable& facts_;
  const std::vector<Function>& functions_;
  Problems& problems_;
  std::deque<Activation> stack_;
  std::deque<Activation> start_stack_;  // at the start of the chunk before
  uint64_t next_time_ = 1;
  bool first_ = true;
  bool replayed_ = true;  // the chunk before was read to its end, so the stack is known
  uint64_t paths_ = 0, statements_ = 0;
};

}  // namespace vestige
