// Long repeats: where the last rows came up before, what followed then is proposed now, however far
// back that is and however little the short contexts know about it.
//
// Rows are kept in a ring, as a key (what must agree for rows to count as the same) and a value
// (what is proposed). A table leads from a hash of the recent rows, which the column chooses, to
// where it came up last. A match goes on after a wrong value, as long as it is right now and then:
// two runs of a loop differ in a value here and there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "codec/record/vestige/strong/hash.h"
#include "codec/record/vestige/strong/slots.h"
#include "codec/record/vestige/strong/table.h"

namespace vestige::strong {

class MatchModel {
 public:
  // A ring of 2^bits rows; `least` agreeing rows make a match.
  MatchModel(unsigned bits, uint64_t least) : rows_(bits), heads_(bits), least_(least) {}

  bool found() const { return at_ != 0; }
  uint64_t proposed() const { return row(at_).value; }
  // What the proposed row's value is beside the one before it.
  uint64_t step() const { return row(at_).value - row(at_ - 1).value; }
  // Of a match: the number of agreeing rows, and the latest outcomes.
  uint8_t length() const { return static_cast<uint8_t>(std::clamp<uint64_t>(length_, 1, 255)); }
  uint8_t outcomes() const { return outcomes_; }
  // For columns that know the next key's upper half beforehand: lets go of a match that fails it.
  void require(uint64_t key) {
    if (found() && (row(at_).key ^ key) >> 32 != 0) at_ = length_ = 0;
  }
  // The value `distance` rows ago, 1 being the last one.
  uint64_t back(uint64_t distance) const { return row(now_ - distance).value; }
  uint64_t rows() const { return now_; }
  uint64_t reach() const { return std::min<uint64_t>(now_, rows_.size() - 1); }

  // For columns that need the history alone.
  void keep(uint64_t key, uint64_t value) {
    row(now_) = {key, value};
    ++now_;
  }
  // `recent`: a hash of the last rows, this one included.
  void append(uint64_t key, uint64_t value, uint64_t recent) {
    if (found()) {
      const bool right = row(at_).key == key;
      outcomes_ = static_cast<uint8_t>(outcomes_ << 1 | right);
      length_ = right ? length_ + 1 : 0;
      at_ = outcomes_ != 0 ? at_ + 1 : 0;
    }
    keep(key, value);
    uint32_t& head = heads_.at_hash(recent);
    if (length_ < kSettled) look_for_longer(head);
    head = static_cast<uint32_t>(now_);
  }

 private:
  static constexpr uint64_t kSettled = 16;  // a match as long as this is not given up for another
  static constexpr uint64_t kMost = 400;    // agreeing rows looked at
  struct Row {
    uint64_t key, value;
  };
  Row& row(uint64_t i) { return rows_[i & (rows_.size() - 1)]; }
  const Row& row(uint64_t i) const { return rows_[i & (rows_.size() - 1)]; }

  void look_for_longer(uint32_t head) {
    if (head == 0) return;
    // The head's upper bits are those of `now_`, or one less.
    uint64_t at = (now_ & ~uint64_t{UINT32_MAX}) | head;
    if (at >= now_) at -= uint64_t{1} << 32;
    if (at >= now_ || now_ - at + kMost >= rows_.size()) return;
    uint64_t length = 0;
    while (length < kMost && at > length + 1 &&
           row(at - 1 - length).key == row(now_ - 1 - length).key)
      ++length;
    if (length < least_ || length <= length_) return;
    at_ = at;
    length_ = length;
    outcomes_ = 0xff;
  }

  BigTable<Row> rows_;
  BigTable<uint32_t> heads_;
  uint64_t least_;
  uint64_t now_ = 1;  // 0 stands for nowhere
  uint64_t at_ = 0;
  uint64_t length_ = 0;
  uint8_t outcomes_ = 0;
};

}  // namespace vestige::strong
