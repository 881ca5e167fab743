// The call stack of a thread, kept up to date path by path. The recorder, the reader and the
// verifier agree on these rules:
//
//   a path that enters      pushes an activation;
//   any other path          goes on in the innermost one (or, on an empty stack, in one that was
//                           there before recording began, and is pushed now);
//   a path that leaves      then pops it;
//   a resync event          cuts back to its `keep` outermost activations and pushes its own.
//
// A frame holds the last path its activation completed. Path 0 stands for an activation of which
// nothing is known.
#pragma once

#include <algorithm>
#include <vector>

#include "store/chunks.h"
#include "vestige/trace.h"

namespace vestige {

class CallStack {
 public:
  CallStack() = default;
  explicit CallStack(std::vector<Frame> frames) : frames_(std::move(frames)) {}

  void step(const Path& path, uint64_t time) {
    if (path.enters) {
      if (!path.leaves) frames_.push_back({path.id, time});
    } else if (path.leaves) {
      if (!frames_.empty()) frames_.pop_back();
    } else if (frames_.empty()) {
      frames_.push_back({path.id, time});
    } else {
      frames_.back() = {path.id, time};
    }
  }
  void change(const StackChange& change) {
    if (change.keep < frames_.size()) frames_.resize(change.keep);
    frames_.insert(frames_.end(), change.frames.begin(), change.frames.end());
  }
  const std::vector<Frame>& frames() const { return frames_; }
  std::vector<Frame> take() { return std::move(frames_); }

 private:
  std::vector<Frame> frames_;
};

// The same rules on the number of activations alone.
struct StackSize {
  uint64_t size = 0;
  void step(const Path& path) {
    if (path.enters) {
      size += !path.leaves;
    } else if (path.leaves) {
      size -= size != 0;
    } else {
      size += size == 0;
    }
  }
  void change(const StackChange& change) {
    size = std::min(change.keep, size) + change.frames.size();
  }
};

}  // namespace vestige
