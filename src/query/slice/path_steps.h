// A thread's paths with what a slice must know of each that the path alone does not say: its
// activation, what that did before, and who called and who returned.
//
// The stack follows the rules of trace/call_stack.h. A call and an activation belong together when
// the path that ends in the call comes right before the one that enters (or right behind the one
// that returns), and the function is the one the call names; an indirect call may be of any. A
// function that ends in a tail call passes this on: what the callee returns is what the function
// returns.
//
// One owner thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "vestige/trace.h"

namespace vestige {

// Which calls may mean which functions, by name.
class CallNames {
 public:
  explicit CallNames(const Trace& trace);
  // The last statement of `caller`'s path is a call that may run `callee` (Trace::functions())
  // directly.
  bool may_call(const Path& caller, uint32_t callee) const;

 private:
  const Trace& trace_;
  std::vector<uint32_t> names_;                 // by function
  std::vector<std::vector<uint32_t>> symbols_;  // by function and symbol; kNone: no function's name
};

// The call or synchronization operation that a path stops at; kNone when it does not.
uint32_t stopped_at(const Function& function, const Path& path);

struct PathStep {
  uint64_t time = 0;
  const Path* path = nullptr;
  const Path* before = nullptr;  // of its activation; null: it enters, or that was not recorded
  uint64_t before_time = 0;
  uint32_t level = 0;  // activations below
  uint32_t kept =
      kNone;            // only activations below this level reach from the path before to this one
  bool called = false;  // enters: directly by the path before, in a call that is known
  bool has_caller = false;   // enters: there is an activation below, or a tail call
  bool tail_called = false;  // enters: by the tail call that the path before ended with
  bool returned = false;     // goes on behind a call, of which the path before returned the result
};

class PathSteps {
 public:
  struct Frame {
    const Path* last = nullptr;
    uint64_t time = 0;
    uint32_t root =
        kNone;  // the function that was called; another one when it ended in a tail call
    bool operator==(const Frame&) const = default;
  };
  // All that the next step depends on.
  struct Position {
    std::vector<Frame> stack;
    uint64_t time = 0;  // of the last path; 0: none yet
    const Path* last = nullptr;
    uint32_t last_level = 0, last_root = kNone;
  };

  static Result<PathSteps> open(const Trace& trace, uint32_t thread, const CallNames& names);

  // The next path. False: there are no more.
  Result<bool> next(PathStep& step);
  const Position& position() const { return at_; }
  // Goes where a position was.
  void go_to(Position position);
  // The lowest level that changed since the last call.
  uint32_t take_lowest() { return std::exchange(lowest_, uint32_t(at_.stack.size())); }

 private:
  PathSteps(const Trace& trace, uint32_t thread, const CallNames& names, PathCursor cursor)
      : trace_(&trace), thread_(thread), names_(&names), cursor_(std::move(cursor)) {}
  Result<void> read_events();
  Result<void> begin_at(uint64_t time);
  void touch(uint32_t level) { lowest_ = std::min(lowest_, level); }

  struct Change {
    uint64_t time = 0, keep = 0;
    std::vector<Frame> frames;
  };
  const Trace* trace_;
  uint32_t thread_;
  const CallNames* names_;
  PathCursor cursor_;
  std::vector<Change> changes_;
  size_t next_change_ = 0;
  Position at_;
  uint32_t lowest_ = 0;
};

// Positions at chosen times, kept as what differs from one to the next.
class PositionTrail {
 public:
  // `lowest`: the lowest level that changed since the one before.
  void keep(const PathSteps::Position& position, uint32_t lowest);
  size_t size() const { return kept_.size(); }
  PathSteps::Position at(size_t number) const;

 private:
  struct Kept {
    PathSteps::Position position;  // its stack from level `from` on
    uint32_t from = 0;
  };
  std::vector<Kept> kept_;
};

}  // namespace vestige
