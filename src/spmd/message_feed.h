// What a thread did to other ranks, in order, by the paths that ended in it.
#pragma once

#include "vestige/sync.h"

namespace vestige::spmd {

class MessageFeed {
 public:
  static Result<MessageFeed> open(const Trace& trace, uint32_t thread) {
    auto cursor = SyncCursor::open(trace, thread);
    if (!cursor) return std::unexpected(cursor.error());
    return MessageFeed(std::move(*cursor));
  }
  // More may have come since the end was met.
  void look_again() { has_next_ = has_next_ || cursor_.next(); }
  // The first path that has one, of those not told yet; UINT64_MAX: there is none.
  uint64_t next_time() const { return has_next_ ? cursor_.operation().time : UINT64_MAX; }
  // Calls take(operation) for those of paths up to this time.
  template <class Take>
  Result<void> until(uint64_t time, const Take& take) {
    for (; has_next_ && cursor_.operation().time <= time; has_next_ = cursor_.next())
      if (is_message(cursor_.operation().kind)) take(cursor_.operation());
    if (cursor_.error()) return std::unexpected(*cursor_.error());
    return {};
  }

 private:
  explicit MessageFeed(SyncCursor cursor) : cursor_(std::move(cursor)), has_next_(cursor_.next()) {}
  SyncCursor cursor_;
  bool has_next_;
};

}  // namespace vestige::spmd
