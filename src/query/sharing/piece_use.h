// How a piece of memory was used: what one pass over its accesses has to remember.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "vestige/sharing.h"

namespace vestige::threads {

// From the first to the last of some stages of a thread.
struct StageRange {
  uint32_t first = UINT32_MAX, last = 0;
  void add(uint32_t stage) {
    first = std::min(first, stage);
    last = std::max(last, stage);
  }
  bool empty() const { return first > last; }
};

class PieceUse {
 public:
  struct Thread {
    uint32_t thread = 0;
    uint64_t reads = 0, writes = 0;
    StageRange used, written;  // when
  };

  void access(uint32_t thread, bool writes, uint32_t stage) {
    Thread& mine = of(thread);
    (writes ? mine.writes : mine.reads) += 1;
    mine.used.add(stage);
    if (writes) mine.written.add(stage);
    if (turns_ == 0 || thread != holder_) begin_turn(thread, writes);
    turn_writes_ |= writes;
    if (writes) {
      if (turns_ > 1) {
        if (last_writer_ == thread) ++(read_since_ ? read_between_ : unread_between_);
        if (late_writer_ == kNone) late_writer_ = thread;
        several_late_writers_ |= late_writer_ != thread;
      }
      last_writer_ = thread;
      read_since_ = false;
    } else {
      read_since_ |= thread != last_writer_;
    }
  }

  const std::vector<Thread>& threads() const { return threads_; }
  uint64_t changes() const { return turns_ - 1; }
  uint64_t read_between() const { return read_between_; }
  uint64_t unread_between() const { return unread_between_; }

  SharingUse use() const {
    if (threads_.size() == 1) return SharingUse::private_;
    if (late_writer_ == kNone) return SharingUse::read_only;
    if (turns_ == 2 || (every_turn_changes_ && turn_writes_ && !blind_))
      return SharingUse::migratory;
    return several_late_writers_ ? SharingUse::mixed : SharingUse::producer_consumer;
  }
  SharingAdvice advice() const {
    if (threads_.size() == 1 || late_writer_ == kNone) return SharingAdvice::none;
    return read_between_ > unread_between_ ? SharingAdvice::update : SharingAdvice::invalidate;
  }

 private:
  Thread& of(uint32_t thread) {
    for (Thread& one : threads_)
      if (one.thread == thread) return one;
    threads_.emplace_back().thread = thread;
    return threads_.back();
  }
  void begin_turn(uint32_t thread, bool writes) {
    if (turns_ > 1) every_turn_changes_ &= turn_writes_;
    if (turns_ > 0) blind_ |= writes;
    ++turns_;
    holder_ = thread;
    turn_writes_ = false;
  }

  std::vector<Thread> threads_;  // in the order they came
  uint64_t turns_ = 0;           // stretches of accesses by one thread
  uint64_t read_between_ = 0, unread_between_ = 0;
  uint32_t holder_ = kNone, last_writer_ = kNone;
  uint32_t late_writer_ = kNone;  // who writes behind the first turn
  bool several_late_writers_ = false;
  bool turn_writes_ = false, every_turn_changes_ = true;
  bool blind_ = false;  // a turn behind the first began with a write
  bool read_since_ = false;
};

}  // namespace vestige::threads
