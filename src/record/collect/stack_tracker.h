// The call stack of one thread, followed through its path words.
//
// A path that enters pushes an activation; every path becomes the last path of the activation on
// top; a path that leaves pops it. What a thread returns into although nobody saw it entered (the
// thread was there before recording began) is the unknown outer activation, slot 0: it is always
// there, and counts as a frame once a path of it was seen that did not leave it.
//
// The fast way takes batches of words. Only what is left on the stack at a batch's end matters, so
// it looks up the kinds of all words (the one step per word), sums pushes and pops by sixteens in
// vector registers, and then goes backwards over the few blocks that reach a new low: that is where
// the last path of each remaining activation stands. If the batch held a word that is no plain
// path, nothing has changed and the caller goes the slow way, word by word.
//
// Invariants:
// 1. frames_[0 … top_] is the stack; slots above are garbage.
// 2. Target time (time + drift) does not fall from one slot to the next.
// 3. Every slot whose content changed since a Mark was set is at or above it.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "record/collect/path_kinds.h"
#include "store/chunks.h"

namespace vestige {

class StackTracker {
 public:
  static constexpr size_t kBatch = 4096;

  // `kinds` is PathKinds::table(), or a table like it.
  explicit StackTracker(const uint8_t* kinds);

  // At most kBatch words; the first runs at `time` + 1. Takes those up to the first that is not
  // plain, and returns how many they are.
  size_t run(std::span<const uint32_t> words, uint64_t time);
  // One word, of any known kind.
  void step(uint8_t kind, uint32_t word, uint64_t time);
  // One path that is not recorded: its activation's last path is not known.
  void step_unrecorded(uint8_t kind, uint64_t target_time);

  // The target counts paths that are not recorded, too: what its clock is ahead of ours.
  void set_drift(uint64_t drift);

  // Cutting back. The outermost slot whose activation completed a path after `target_time`, or
  // kNoSlot.
  static constexpr uint64_t kNoSlot = UINT64_MAX;
  uint64_t first_after(uint64_t target_time) const;
  uint64_t top() const { return top_; }
  const Frame& frame(uint64_t slot) const { return frames_[slot]; }
  void cut_to(uint64_t slot);     // `slot` becomes the top
  void cut_below(uint64_t slot);  // `slot` and all above it go
  void push_unknown(uint64_t target_time);
  void clear();

  // All slots, with target times; and a stack that begins like this one, for a forked process. Its
  // frames have time 0: the paths are another thread's.
  std::vector<Frame> snapshot() const;
  void inherit(const std::vector<Frame>& snapshot);

  // The lowest slot that changed since the mark was set. Two are kept: one for the stack at the
  // last chunk's start, one for what the reader of the events knows.
  enum Mark { chunk = 0, reader = 1 };
  void set_mark(Mark mark) { low_[mark] = top_ + 1; }
  void set_mark(Mark mark, Mark as) { low_[mark] = low_[as]; }
  uint64_t low(Mark mark) const { return low_[mark]; }
  // The change from a stack whose slots below `low` are those of now.
  StackChange change(uint64_t low) const;
  uint64_t depth() const { return top_ + (outer_known() ? 1 : 0); }

 private:
  bool outer_known() const {
    return frames_[0].path != 0 && (kinds_[frames_[0].path] & path_kind::leaves) == 0;
  }
  void touch(uint64_t slot) {
    low_[0] = std::min(low_[0], slot);
    low_[1] = std::min(low_[1], slot);
  }
  void grow(uint64_t slot);
  void start_drifting();
  void write(uint64_t slot, Frame frame, uint64_t drift);
  bool returns_past_outer(std::span<const uint32_t> words) const;
  size_t look_up(std::span<const uint32_t> words);

  // A block of a batch: the depth before it and the lowest slot a path of it ran in, both relative
  // to the batch's beginning.
  static constexpr size_t kBlock = 16;
  struct Block {
    int32_t begin, low;
  };
  Block summarize(size_t block, int32_t& depth, size_t size) const;

  const uint8_t* kinds_;
  alignas(16) uint8_t batch_[kBatch];  // the kinds of the batch's words
  Block blocks_[kBatch / kBlock];
  uint64_t top_ = 0;
  uint64_t low_[2] = {1, 1};
  std::vector<Frame> frames_;
  bool drifting_ = false;
  uint64_t drift_ = 0;
  std::vector<uint64_t> drifts_;  // beside frames_, while drifting_
};

}  // namespace vestige
