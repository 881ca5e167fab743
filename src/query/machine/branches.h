// The branches of a thread, in order, with where each went.
#pragma once

#include <unordered_map>
#include <vector>

#include "vestige/trace.h"

namespace vestige {

struct BranchOutcome {
  uint64_t id = 0;          // #ID
  uint32_t successors = 0;  // different ones of the terminator: 2 or more
  uint32_t taken = kNone;   // number among Block::successors, of the first that is the same block;
                            // kNone: not known
  bool two_way = false;     // br; otherwise switch or computed goto
};

// Branches with several targets. Exceptions are none: an invoke goes where its callee makes it go.
//
// One owner thread; the trace must outlive it.
class BranchStream {
 public:
  BranchStream(const Trace& trace, PathCursor cursor) : trace_(trace), cursor_(std::move(cursor)) {}

  // The branches up to and with the next path, but for one at its end, which waits for the path
  // that tells. False: there are no more; then `out` has the one that was left, without an outcome.
  Result<bool> next(std::vector<BranchOutcome>& out);
  uint64_t time() const { return cursor_.time(); }

 private:
  struct PathBranches {
    std::vector<BranchOutcome> inside;
    BranchOutcome last;  // at the path's end; no successors: there is none
    uint32_t last_block = 0;
  };
  const PathBranches& of(const Path& path);
  static BranchOutcome branch_at(const Function& function, uint32_t block);

  static constexpr size_t kMostKept = 4 << 20;
  const Trace& trace_;
  PathCursor cursor_;
  std::unordered_map<uint32_t, PathBranches> paths_;  // by path id
  size_t kept_ = 0;
  BranchOutcome waiting_;  // no successors: none does
  uint32_t waiting_function_ = 0, waiting_block_ = 0;
  uint64_t waiting_time_ = 0;
};

}  // namespace vestige
