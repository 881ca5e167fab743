// What a backward slice has found to be needed and not yet met, by the path that it waits at.
//
// One owner thread.
#pragma once

#include <algorithm>
#include <bit>
#include <deque>
#include <unordered_map>
#include <vector>

#include "query/dependences/block_cursor.h"
#include "query/slice/needs.h"

namespace vestige {

// An item of a path wrote memory that is needed.
struct WrittenNeed {
  uint32_t path = 0;  // of its block
  uint32_t item = 0;  // kNone: something waits for the path's activation
  Token token;
  uint32_t at = 0;         // where in what was read the bytes begin
  uint32_t bytes = kNone;  // of a copy: which (Waiting::range)
};

// Bytes of what a copy wrote.
struct ByteRange {
  uint64_t first = 0, length = 0;
};

class Waiting {
 public:
  // More things than this at one time are refused.
  static constexpr uint64_t kMost = uint64_t{1} << 26;

  explicit Waiting(const DependenceBlockCursor& cursor)
      : cursor_(cursor), blocks_(cursor.places().size()) {}

  bool full() const { return count_ >= kMost || ranges_.size() >= kMost; }
  // Something was to wait where no path is.
  bool impossible() const { return impossible_; }

  void add(uint64_t time, WrittenNeed need, const ByteRange* range) {
    if (range) {
      need.bytes = static_cast<uint32_t>(ranges_.size());
      ranges_.push_back(*range);
    }
    ++count_;
    if (is_open(time)) {
      need.path = static_cast<uint32_t>(time - first_time_);
      put(need);
      return;
    }
    const size_t block = find(time, need.path);
    std::vector<WrittenNeed>& list = blocks_[block];
    top_ = std::max(top_, block + 1);
    if (list.size() == list.capacity() && list.size() >= kWorthMerging) merge(list);
    list.push_back(need);
  }
  // What is needed of the activation that the path of this time belongs to, just behind that path.
  ActivationNeeds& activation(uint64_t time) {
    ActivationNeeds*& needs = slot(time);
    if (!needs) {
      needs = take_unused();
      mark(time);
    }
    return *needs;
  }
  void move(ActivationNeeds* needs, uint64_t time) {
    ActivationNeeds*& there = slot(time);
    if (there) {
      // An index that is sound has no two ways here.
      needs->clear();
      unused_.push_back(needs);
      return;
    }
    there = needs;
    mark(time);
  }
  void give_back(ActivationNeeds* needs) { unused_.push_back(needs); }
  ActivationNeeds* take_unused() {
    if (unused_.empty()) return &all_.emplace_back();
    ActivationNeeds* needs = unused_.back();
    unused_.pop_back();
    return needs;
  }

  // The last block but the open one where something waits; SIZE_MAX: there is none.
  size_t last_block() {
    while (top_ > 0 && blocks_[top_ - 1].empty()) --top_;
    return top_ - 1;
  }
  // What waits in the block is taken over. Whatever waits in the one that is open goes back.
  void open(size_t number);
  size_t open_block() const { return open_; }  // SIZE_MAX: none
  // The last path of the open block where something waits; kNone: there is none.
  uint32_t last_path() {
    for (; word_ != SIZE_MAX; --word_)
      if (todo_[word_] != 0)
        return static_cast<uint32_t>(64 * word_ + 63 - std::countl_zero(todo_[word_]));
    return kNone;
  }
  // What waits at a path is the caller's then. Of the activation: null when that is nothing.
  ActivationNeeds* take(uint32_t path, std::vector<WrittenNeed>& needs);
  const ByteRange& range(uint32_t number) const { return ranges_[number]; }

 private:
  static constexpr size_t kWorthMerging = 1 << 12;
  struct Linked {
    WrittenNeed need;
    uint32_t next = kNone;
  };

  ActivationNeeds*& slot(uint64_t time) {
    return is_open(time) ? here_[time - first_time_] : elsewhere_[time];
  }
  bool is_open(uint64_t time) const {
    return time >= first_time_ && time - first_time_ < here_.size();
  }
  void close();
  void mark(uint64_t time) {
    if (is_open(time)) {
      set(static_cast<uint32_t>(time - first_time_));
      return;
    }
    WrittenNeed marker;
    marker.item = kNone;
    const size_t block = find(time, marker.path);
    blocks_[block].push_back(marker);
    top_ = std::max(top_, block + 1);
    ++count_;
  }
  // The block and its path of this time.
  size_t find(uint64_t time, uint32_t& path) {
    const size_t block = cursor_.block_at(time);
    const BlockPlace& place = cursor_.places()[block];
    if (time < place.first_time || time >= place.end_time()) {
      impossible_ = true;
      return block;
    }
    path = static_cast<uint32_t>(time - place.first_time);
    return block;
  }
  void set(uint32_t path) {
    todo_[path / 64] |= uint64_t{1} << (path % 64);
    // Other threads may need something behind where this one is.
    if (word_ == SIZE_MAX || word_ < path / 64) word_ = path / 64;
  }
  void put(const WrittenNeed& need) {
    set(need.path);
    if (need.item == kNone) return;
    linked_.push_back({need, heads_[need.path]});
    heads_[need.path] = static_cast<uint32_t>(linked_.size()) - 1;
  }
  // One need for each item that several wait for.
  void merge(std::vector<WrittenNeed>& list);

  const DependenceBlockCursor& cursor_;
  std::vector<std::vector<WrittenNeed>> blocks_;
  std::unordered_map<uint64_t, ActivationNeeds*> elsewhere_;  // by time
  std::deque<ActivationNeeds> all_;
  std::vector<ActivationNeeds*> unused_;
  std::vector<ByteRange> ranges_;
  uint64_t count_ = 0;
  bool impossible_ = false;
  size_t top_ = 0;  // behind all blocks where something waits
  // Of the open block.
  size_t open_ = SIZE_MAX;
  uint64_t first_time_ = UINT64_MAX;
  std::vector<uint64_t> todo_;
  size_t word_ = SIZE_MAX;
  std::vector<uint32_t> heads_;
  std::vector<Linked> linked_;
  std::vector<ActivationNeeds*> here_;
};

}  // namespace vestige
