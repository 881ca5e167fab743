#include "query/machine/branches.h"

#include <algorithm>

namespace vestige {

namespace {

// The number of the first successor that is this block; kNone: none is.
uint32_t successor_number(const Block& block, uint32_t target) {
  const auto found = std::ranges::find(block.successors, target);
  return found == block.successors.end() ? kNone
                                         : static_cast<uint32_t>(found - block.successors.begin());
}

}  // namespace

// Without an outcome. No successors: the block ends in no branch.
BranchOutcome BranchStream::branch_at(const Function& function, uint32_t block) {
  BranchOutcome out;
  const Block& b = function.blocks[block];
  if (b.statement_count == 0) return out;
  const uint32_t last = b.first_statement + b.statement_count - 1;
  const Op op = function.statements[last].op;
  if (op != Op::br && op != Op::switch_ && op != Op::indirect_br) return out;
  auto targets = b.successors;
  std::ranges::sort(targets);
  const auto same = std::ranges::unique(targets);
  const auto different = static_cast<uint32_t>(targets.size() - same.size());
  if (different < 2) return out;
  out.id = uint64_t{function.first_statement} + last;
  out.successors = different;
  out.two_way = op == Op::br;
  return out;
}

const BranchStream::PathBranches& BranchStream::of(const Path& path) {
  if (const auto found = paths_.find(path.id); found != paths_.end()) return found->second;
  if (kept_ > kMostKept) {
    paths_.clear();
    kept_ = 0;
  }
  const Function& function = trace_.functions()[path.function];
  PathBranches made;
  for (size_t i = 0; i < path.segments.size(); ++i) {
    const Segment& segment = function.segments[path.segments[i]];
    if (segment.end != SegmentEnd::branch && segment.end != SegmentEnd::indirect) continue;
    BranchOutcome branch = branch_at(function, segment.block);
    if (branch.successors == 0) continue;
    if (i + 1 == path.segments.size()) {
      made.last = branch;
      made.last_block = segment.block;
      break;
    }
    branch.taken = successor_number(function.blocks[segment.block],
                                    function.segments[path.segments[i + 1]].block);
    made.inside.push_back(branch);
  }
  kept_ += 8 + made.inside.size() * 4;
  return paths_.emplace(path.id, std::move(made)).first->second;
}

Result<bool> BranchStream::next(std::vector<BranchOutcome>& out) {
  const bool moved = cursor_.next();
  if (!moved && cursor_.error()) return std::unexpected(*cursor_.error());
  if (waiting_.successors != 0) {
    if (moved) {
      const Path& path = cursor_.path();
      const Function& function = trace_.functions()[path.function];
      if (cursor_.time() == waiting_time_ + 1 && path.function == waiting_function_ &&
          !path.enters && !path.resumes)
        waiting_.taken = successor_number(function.blocks[waiting_block_],
                                          function.segments[path.segments.front()].block);
    }
    out.push_back(waiting_);
    waiting_ = {};
  }
  if (!moved) return false;
  const PathBranches& branches = of(cursor_.path());
  out.insert(out.end(), branches.inside.begin(), branches.inside.end());
  waiting_ = branches.last;
  waiting_function_ = cursor_.path().function;
  waiting_block_ = branches.last_block;
  waiting_time_ = cursor_.time();
  return true;
}

}  // namespace vestige
