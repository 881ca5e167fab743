// The told value that comes next, for quick comparison.
#pragma once

#include <cstdint>
#include <deque>

#include "trace/told/inputs.h"
#include "vestige/program.h"

namespace vestige {

class ToldValueFeed {
 public:
  // The source may be null: nothing was told. It must outlive the feed.
  explicit ToldValueFeed(ToldValueSource* source) : source_(source) { advance(); }

  // UINT64_MAX at the end.
  uint64_t next_time() const { return next_.time; }
  const ToldValue& next() const { return next_; }
  // The index told next in the path of this time, or kNone.
  uint32_t index_at(uint64_t time) const { return next_.time == time ? next_.index : kNone; }
  void advance() {
    if (!ahead_.empty()) {
      next_ = ahead_.front();
      ahead_.pop_front();
    } else if (!source_ || !source_->next(next_)) {
      next_ = {UINT64_MAX, kNone, 0};
    } else {
      ++count_;
    }
  }
  // More may have been told since the end was met.
  void look_again() {
    if (!ahead_.empty() && ahead_.back().time == UINT64_MAX) ahead_.pop_back();
    if (ended() && ahead_.empty()) advance();
  }
  // Drops what an abandoned path was told that would have had this time.
  void skip_abandoned(uint64_t time) {
    std::deque<ToldValue> all;
    while (next_.time == time && all.size() < kMostAhead) {
      const bool abandoned = next_.index == kPathAbandoned;
      all.push_back(next_);
      if (abandoned) all.clear();
      advance();
    }
    if (all.empty()) return;
    all.push_back(next_);
    all.insert(all.end(), ahead_.begin(), ahead_.end());
    ahead_ = std::move(all);
    next_ = ahead_.front();
    ahead_.pop_front();
  }
  bool ended() const { return next_.time == UINT64_MAX; }
  uint64_t count() const { return count_; }  // read so far, the next one included
  // Of those: taken or dropped, so neither `next` nor to come behind it.
  uint64_t taken() const {
    if (ended()) return count_;
    const bool end_ahead = !ahead_.empty() && ahead_.back().time == UINT64_MAX;
    return count_ - 1 - ahead_.size() + (end_ahead ? 1 : 0);
  }

 private:
  static constexpr size_t kMostAhead = 1 << 20;
  ToldValueSource* source_;
  ToldValue next_;
  std::deque<ToldValue> ahead_;  // behind `next_`
  uint64_t count_ = 0;
};

}  // namespace vestige
