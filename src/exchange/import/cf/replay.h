// Turns events into paths: the same steps whether the graph is still being drawn (FlowGraph) or
// is there and paths are written (PathWriter).
//
// Where an activation is, is a place: a block of its function. The nodes of the path graph are
// kinds of passing a place:
//
//   entry    the block begins, and the activation with it
//   begin    the block begins
//   call     the block goes on, to a call
//   leave    the block goes on, to the activation's end
//   branch   the block goes on behind a call, to another block
//   stop     the block goes on, and the trace ends
//
// A path runs from an entry or begin node along edges to a call, leave or stop node; a path behind
// a call starts with call, leave or branch of the block it goes on in. Only entry and begin nodes
// stand for block events, so nothing is counted twice.
//
// Two things happen in no block. An entry that block 0 does not follow, and the exit from an
// activation that was there before the trace began and of which nothing else was seen: both are
// given the function's *nowhere*, a place behind its last block.
//
// `Follower` draws or writes: start(node), follow(from, to) and end(leaves); each says whether all
// is well. One owner thread. Memory: one frame per activation.
#pragma once

#include <string>
#include <vector>

#include "exchange/import/cf/event_file.h"
#include "exchange/import/cf/places.h"

namespace vestige::cf {

template <class Follower>
class Replay {
 public:
  Replay(Places& places, Follower& follower) : places_(places), follower_(follower) {}

  // False: error() says why.
  bool event(uint32_t event) {
    if (is_block(event)) return block(event);
    return is_entry(event) ? entry(event & kIdMask) : exit();
  }
  // Behind the last event.
  bool end() {
    if (state_ == State::entered && !begin_nowhere()) return false;
    return state_ != State::in_path || finish(NodeKind::stop);
  }
  const std::string& error() const {
    return !error_.empty()            ? error_
           : !places_.error().empty() ? places_.error()
                                      : follower_.error();
  }

 private:
  enum class State : uint8_t {
    nothing_seen,  // in an activation that was there before, of which no block was seen
    entered,       // just now; the block is not known yet
    in_path,       // at node_, of place_
    resumed,       // in place_, behind a call
  };
  struct Frame {
    uint32_t function, place;  // place: kNone when nothing was seen
  };
  // The verifier follows no further.
  static constexpr size_t kMostFrames = (size_t{1} << 24) - 1;

  bool block(uint32_t id) {
    if (state_ == State::entered && id == 0) {
      place_ = places_.place(function_, 0);
      return place_ != kNone && start(NodeKind::entry);
    }
    if (state_ == State::entered && !begin_nowhere()) return false;
    const uint32_t to = places_.place(function_, id);
    if (to == kNone) return false;
    if (state_ == State::nothing_seen) {
      place_ = to;
      return start(NodeKind::begin);
    }
    if (state_ == State::resumed && !start(NodeKind::branch)) return false;
    place_ = to;
    return follow(NodeKind::begin);
  }

  bool entry(uint32_t id) {
    if (state_ == State::entered && !begin_nowhere()) return false;
    if (state_ != State::nothing_seen && !finish(NodeKind::call)) return false;
    if (stack_.size() == kMostFrames) {
      error_ = "calls are nested more than " + std::to_string(kMostFrames) + " deep";
      return false;
    }
    stack_.push_back({function_, state_ == State::nothing_seen ? kNone : place_});
    function_ = places_.function(id);
    state_ = State::entered;
    return function_ != kNone;
  }

  bool exit() {
    if (state_ == State::entered && !begin_nowhere()) return false;
    if (state_ == State::nothing_seen) {
      place_ = places_.nowhere(function_);
      if (place_ == kNone) return false;
    }
    if (!finish(NodeKind::leave)) return false;
    if (stack_.empty()) {
      function_ = Places::kUnknown;
      state_ = State::nothing_seen;
      return true;
    }
    function_ = stack_.back().function;
    place_ = stack_.back().place;
    state_ = place_ == kNone ? State::nothing_seen : State::resumed;
    stack_.pop_back();
    return true;
  }

  bool begin_nowhere() {
    place_ = places_.nowhere(function_);
    return place_ != kNone && start(NodeKind::entry);
  }
  bool start(NodeKind kind) {
    node_ = node_of(place_, kind);
    state_ = State::in_path;
    return follower_.start(node_);
  }
  bool follow(NodeKind kind) {
    const uint32_t from = node_;
    node_ = node_of(place_, kind);
    return follower_.follow(from, node_);
  }
  // The path ends in its block; behind a call it is a path of its own.
  bool finish(NodeKind kind) {
    if (!(state_ == State::in_path ? follow(kind) : start(kind))) return false;
    state_ = State::resumed;
    return follower_.end(kind == NodeKind::leave);
  }

  Places& places_;
  Follower& follower_;
  State state_ = State::nothing_seen;
  uint32_t function_ = Places::kUnknown;
  uint32_t place_ = kNone;
  uint32_t node_ = kNone;
  std::vector<Frame> stack_;
  std::string error_;
};

}  // namespace vestige::cf
