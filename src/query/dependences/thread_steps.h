// The steps of one thread's paths, block by block, as the blocks of its dependences keep them
// (block.h): each block has the frames that its paths looked at, and the changes of the stack in
// between.
//
// One owner thread.
#pragma once

#include <vector>

#include "query/dependences/path_steps.h"

namespace vestige {

class ThreadSteps {
 public:
  // All must outlive it.
  ThreadSteps(const Trace& trace, const CallNames& names, uint32_t thread)
      : trace_(trace), thread_(thread), steps_(names) {}

  // Before anything else: reads when the stack changed other than by paths.
  Result<void> open();
  // A block begins with the path of this time.
  Result<void> begin_block(uint64_t time);
  // Whether the path of this time comes right behind the last one.
  bool follows(uint64_t time) const { return last_time() + 1 == time; }
  // 0: there was no path yet.
  uint64_t last_time() const { return steps_.position().time; }
  // The next path of the block; what changed before it is put behind `changes`. False: it is
  // impossible.
  bool next(const Path& path, uint64_t time, std::vector<PathSteps::Change>& changes,
            PathStep& step);
  // What the block must know of the frames that were there when it began.
  PathSteps::Position saved() const { return steps_.saved(); }

 private:
  const Trace& trace_;
  const uint32_t thread_;
  PathSteps steps_;
  std::vector<PathSteps::Change> changes_;
  size_t next_change_ = 0;
};

}  // namespace vestige
