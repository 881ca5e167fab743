// Taken while a window is evaluated the first time: what of the past it uses (keyframe.h), and how
// often each path runs.
//
// An activation that was there when the window began is copied whole when it becomes innermost:
// nothing of it has changed until then. Which of its values count shows when paths go on in it;
// each path need be looked at once per activation, since a second time it finds what the first one
// left.
//
// One owner thread. Invariants: 1. `old_` activations are left of those the window began with;
// 2. frames_.back() is the innermost of these, when there are any.
#pragma once

#include <unordered_map>

#include "trace/eval/code_cache.h"
#include "trace/eval/frame_stack.h"
#include "trace/eval/keyframe.h"
#include "trace/eval/slot_uses.h"

namespace vestige {

class WindowNotes {
 public:
  FirstTouches touches;

  void begin(const FrameStack& stack);
  void count(const PathCode& code, uint32_t path) {
    if (code.noted_window != window_) {
      code.noted_window = window_;
      code.noted_count = static_cast<uint32_t>(counts_.size());
      counts_.push_back({path, 0});
    }
    ++counts_[code.noted_count].count;
  }
  // A path is going to go on in the innermost activation.
  void goes_on(const PathCode& code, const Path& path, CodeCache& codes, const FrameStack& stack) {
    if (stack.depth() == old_ && code.noted_frame != serial_) note_uses(code, path, codes);
  }
  // Activations were left.
  void left(const FrameStack& stack) {
    if (stack.depth() < old_) lower(stack);
  }
  // All activations are going to be forgotten, but for their times.
  void forgets(const FrameStack& stack);

  // The window is over: into the keyframe.
  void finish(Keyframe& keyframe);
  // By rising path id.
  std::vector<PathCount> counts();

 private:
  struct Copy {
    Activation activation;
    std::vector<uint64_t> values;
    std::vector<uint8_t> known;  // when it is not exact
    enum Use : uint8_t { none, wanted, overwritten };
    std::vector<Use> uses;  // per slot of arguments and statements
  };

  void note_uses(const PathCode& code, const Path& path, CodeCache& codes);
  void lower(const FrameStack& stack);
  void copy(const FrameStack& stack, const Activation& activation);

  static constexpr size_t kMostUses = 1 << 17;
  size_t old_ = 0;
  std::vector<Copy> frames_;  // by falling place
  uint64_t serial_ = 0;       // of frames_.back(), never used again
  uint64_t window_ = 0;
  std::vector<PathCount> counts_;                // a path may be there more than once
  std::unordered_map<uint32_t, SlotUses> uses_;  // by path id
};

}  // namespace vestige
