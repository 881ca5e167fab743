#include "trace/verify/thread_check.h"

#include <algorithm>

namespace vestige {

void Problems::add(const std::string& what) {
  if (list_.size() < kMost)
    list_.push_back(what);
  else if (list_.size() == kMost)
    list_.push_back("… and more problems of which none are listed");
}
void Problems::add(uint64_t offset, const std::string& what) {
  add("the chunk at byte " + std::to_string(offset) + ": " + what);
}

std::string ThreadCheck::name(const PathFacts& path) const {
  return "B" + std::to_string(functions_[path.function].segments[path.first].block) + " of " +
         functions_[path.function].name;
}

void ThreadCheck::chunk(const ControlChunk& chunk, uint64_t offset) {
  const bool hole = chunk.first_time != next_time_;
  if (hole && !first_) {
    problems_.add(offset, "thread " + std::to_string(thread_) + " goes on at time " +
                              std::to_string(chunk.first_time) + " instead of " +
                              std::to_string(next_time_));
  }
  if (hole) {
    // What the chunk keeps of the stack before it cannot be known.
    start_stack_.assign(std::min<uint64_t>(chunk.stack.keep, kMaxDepth), Activation{});
    stack_ = start_stack_;
    take_stack(chunk.stack);
  } else {
    check_stack(chunk, offset);
  }
  first_ = false;
  start_stack_ = stack_;
  next_time_ = chunk.first_time;
  replayed_ = false;

  auto words = WordCursor::open(chunk.codec, chunk.words);
  if (!words) {
    problems_.add(offset, words.error().message);
    next_time_ = chunk.first_time + chunk.path_count;
    return;
  }
  if (words->size() != chunk.path_count) {
    problems_.add(offset, "it holds " + std::to_string(words->size()) + " paths but says " +
                              std::to_string(chunk.path_count));
  }
  size_t event = 0;
  uint64_t last_event = 0;
  auto events_until = [&](uint64_t time) {
    for (; event < chunk.events.size() && chunk.events[event].time <= time; ++event) {
      if (chunk.events[event].time < std::max(last_event, chunk.first_time - 1))
        problems_.add(offset, "an event has time " + std::to_string(chunk.events[event].time) +
                                  ", out of order");
      last_event = std::max(last_event, chunk.events[event].time);
      apply(chunk.events[event], offset);
    }
  };
  const uint64_t blocks = (chunk.path_count + kWordBlock - 1) / kWordBlock;
  if (chunk.depths.size() + 1 != std::max<uint64_t>(blocks, 1)) {
    problems_.add(offset, "its stack section has " + std::to_string(chunk.depths.size()) +
                              " depths for " + std::to_string(blocks) + " blocks");
  }
  uint32_t word = 0;
  // A few bytes of a grammar can stand for any number of words.
  for (uint64_t left = chunk.path_count; left > 0 && words->next(word); --left) {
    check_depth(chunk, offset);
    events_until(next_time_ - 1);
    const bool goes_on = step(word, next_time_, offset);
    ++next_time_;
    ++paths_;
    if (!goes_on) break;
  }
  if (words->error()) problems_.add(offset, words->error()->message);
  events_until(next_time_ - 1);
  replayed_ = next_time_ == chunk.first_time + chunk.path_count;
  if (event < chunk.events.size()) {
    problems_.add(offset, "an event has time " + std::to_string(chunk.events[event].time) +
                              ", behind the chunk's last path");
  }
  next_time_ = chunk.first_time + chunk.path_count;
}

// Before the next path, should it be the first of a block.
void ThreadCheck::check_depth(const ControlChunk& chunk, uint64_t offset) {
  const uint64_t done = next_time_ - chunk.first_time;
  const uint64_t block = done / kWordBlock;
  if (done == 0 || done % kWordBlock != 0 || block > chunk.depths.size()) return;
  if (chunk.depths[block - 1] == stack_.size()) return;
  problems_.add(offset, "it says " + std::to_string(chunk.depths[block - 1]) +
                            " activations before time " + std::to_string(next_time_) +
                            ", replay gives " + std::to_string(stack_.size()));
}

// The chunk says how the stack at the start of the chunk before turns into its own; replay says
// what it is.
void ThreadCheck::check_stack(const ControlChunk& chunk, uint64_t offset) {
  std::deque<Activation> replayed = std::move(stack_);
  stack_ = std::move(start_stack_);
  if (chunk.stack.keep > stack_.size()) {
    problems_.add(offset, "its call stack keeps " + std::to_string(chunk.stack.keep) +
                              " frames of " + std::to_string(stack_.size()));
  }
  take_stack(chunk.stack);
  // A thread may begin with a stack that it did not build: what a fork or a late start found.
  if (first_ || !replayed_) return;
  bool same = replayed.size() == stack_.size();
  for (size_t i = 0; same && i < stack_.size(); ++i) {
    same = stack_[i].path == replayed[i].path && stack_[i].time == replayed[i].time;
    stack_[i].free = replayed[i].free;
  }
  if (!same) {
    problems_.add(offset, "its call stack (" + std::to_string(stack_.size()) +
                              " frames) is not the one its thread had (" +
                              std::to_string(replayed.size()) + " frames)");
  }
}

void ThreadCheck::take_stack(const StackChange& change) {
  if (change.keep < stack_.size()) stack_.resize(change.keep);
  for (const Frame& frame : change.frames) {
    if (stack_.size() >= kMaxDepth) return;
    stack_.push_back({frame.path, false, frame.time});
  }
}

void ThreadCheck::apply(const Event& event, uint64_t offset) {
  switch (event.kind) {
    case format::EventKind::resync:
      if (event.stack.keep > stack_.size()) {
        problems_.add(offset, "the event at time " + std::to_string(event.time) + " keeps " +
                                  std::to_string(event.stack.keep) + " frames of " +
                                  std::to_string(stack_.size()));
      }
      take_stack(event.stack);
      if (!stack_.empty()) stack_.back().free = true;
      break;
    case format::EventKind::unregistered:
      // Calls and returns may be among what was not seen: nothing below is certain either.
      for (Activation& activation : stack_) activation.free = true;
      break;
    case format::EventKind::abandoned:
    case format::EventKind::handler_begin:
    case format::EventKind::handler_end:
    case format::EventKind::fatal_signal:
      if (!stack_.empty()) stack_.back().free = true;
      break;
    default:
      break;
  }
}

bool ThreadCheck::may_follow(const PathFacts& before, const PathFacts& path) const {
  if (path.enters) return before.end == SegmentEnd::call || before.end == SegmentEnd::stop;
  if (path.function != before.function) return false;
  if (before.goes_to == path.first) return true;
  if (before.goes_to == kNone)
    for (const SegmentEdge& edge : functions_[before.function].segments[before.last].edges)
      if (edge.target == path.first) return true;
  // A jump may come back behind any setjmp of the activation; out of a call, or, when a thread is
  // cancelled, from anywhere.
  return comes_back(path);
}

bool ThreadCheck::comes_back(const PathFacts& path) const {
  const Function& function = functions_[path.function];
  const Segment& segment = function.segments[path.first];
  if (segment.start != SegmentStart::resume || segment.first_statement == 0) return false;
  const Statement& call = function.statements[segment.first_statement - 1];
  constexpr uint32_t kMayReturnTwice = 4;
  return call.op == Op::call && !call.attributes.empty() &&
         (call.attributes[0] & kMayReturnTwice) != 0;
}

// False: checking further makes no sense.
bool ThreadCheck::step(uint32_t id, uint64_t time, uint64_t offset) {
  const PathFacts* found = facts_.find(id);
  if (!found) {
    problems_.add(
        offset, "time " + std::to_string(time) + ": no function has path id " + std::to_string(id));
    if (!stack_.empty()) stack_.back().free = true;
    return true;
  }
  const PathFacts path = *found;
  statements_ += path.statements;
  if (!stack_.empty() && stack_.back().path != 0 && !stack_.back().free) {
    const PathFacts* before = facts_.find(stack_.back().path);
    if (!before) {
      problems_.add(offset, "its call stack names path id " + std::to_string(stack_.back().path) +
                                ", which no function has");
    } else if (!may_follow(*before, path)) {
      problems_.add(offset, "time " + std::to_string(time) + ": the path from " + name(path) +
                                " cannot follow the path from " + name(*before) + " at time " +
                                std::to_string(stack_.back().time));
    }
  }
  if (path.enters) {
    if (!path.leaves) stack_.push_back({id, false, time});
  } else if (path.leaves) {
    if (!stack_.empty()) stack_.pop_back();
  } else if (stack_.empty()) {
    stack_.push_back({id, false, time});
  } else {
    stack_.back() = {id, false, time};
  }
  if (stack_.size() < kMaxDepth) return true;
  problems_.add(offset, "the call stack is deeper than 2^24; the rest of the chunk is not checked");
  return false;
}

}  // namespace vestige
