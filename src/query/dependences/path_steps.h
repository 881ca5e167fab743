// What a slice must know of a path that the path alone does not say: its activation, what that did
// before, and who called and who returned.
//
// The stack follows the rules of trace/call_stack.h. A call and an activation belong together when
// the path that ends in the call comes right before the one that enters (or right behind the one
// that returns), and the function is the one the call names; an indirect call may be of any. A
// function that ends in a tail call passes this on: what the callee returns is what the function
// returns.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "query/dependences/call_names.h"
#include "vestige/trace.h"

namespace vestige {

struct PathStep {
  uint64_t time = 0;
  const Path* path = nullptr;
  const Path* before = nullptr;  // of its activation; null: it enters, or that was not recorded
  uint64_t before_time = 0;
  // Of one that enters: the last path of the activation below or the tail call; 0: not known.
  uint64_t caller_time = 0;
  uint32_t level = 0;        // activations below
  bool called = false;       // enters: directly by the path before, in a call that is known
  bool has_caller = false;   // enters: there is an activation below, or a tail call
  bool tail_called = false;  // enters: by the tail call that the path before ended with
  bool returned = false;     // goes on behind a call, of which the path before returned the result
};

// The stack at one place of a thread, and how each path changes it.
//
// Invariant: `stack` holds the activations from level `base` on. Those below were left out, because
// no path that is asked for comes back to them.
//
// One owner thread.
class PathSteps {
 public:
  // Without a path nothing is known of it: it was there when the thread's recording began, or went
  // on.
  struct Frame {
    const Path* last = nullptr;
    uint64_t time = 0;
    uint32_t root = kNone;  // the function that was called; another when it ended in a tail call
  };
  // All that the next step depends on.
  struct Position {
    uint32_t base = 0;
    std::vector<Frame> stack;
    uint64_t time = 0;  // of the last path; 0: none yet
    const Path* last = nullptr;
    uint32_t last_level = 0, last_root = kNone;
  };
  // The stack was cut back to `keep` activations, and so many unknown ones lie above.
  struct Change {
    uint64_t time = 0;  // behind the path of this time
    uint64_t keep = 0, pushed = 0;
  };
  static constexpr uint64_t kMostPushed = 1 << 24;

  explicit PathSteps(const CallNames& names) : names_(&names) {}

  void go_to(Position position) {
    at_ = std::move(position);
    lowest_ = depth();
    saved_.clear();
  }
  void change(const Change& change);
  // The next path. False: a frame that it needs was left out of the position.
  bool next(const Path& path, uint64_t time, PathStep& step);

  const Position& position() const { return at_; }
  // From here on the frames that are looked at are saved.
  void begin_saving() {
    lowest_ = depth();
    saved_.clear();
    start_ = {lowest_, {}, at_.time, at_.last, at_.last_level, at_.last_root};
  }
  // Where that was, with the frames that were looked at since.
  Position saved() const;

 private:
  uint32_t depth() const { return at_.base + static_cast<uint32_t>(at_.stack.size()); }
  bool look(uint32_t level);

  const CallNames* names_;
  Position at_, start_;
  uint32_t lowest_ = 0;       // the lowest level that was looked at
  std::vector<Frame> saved_;  // as they were, from the top down
};

}  // namespace vestige
