// The reading end of one ring: which piece comes next, how many were handed over, and how they are
// given back. What is in a piece is the drains' (ring_drain.h, values_drain.h).
//
// Invariant: `drained` pieces were given back, of `filled` that were handed over; the program could
// overwrite its own count, so it never says more than a ring's worth. One owner thread at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "record/collect/futex.h"
#include "record/collect/session.h"

namespace vestige {

class RingReader {
 public:
  RingReader(const Session& session, uint32_t ring)
      : session_(session), ring_(ring), entry_(session.ring(ring)) {}

  uint32_t ring() const { return ring_; }
  const protocol::RingEntry& entry() const { return entry_; }
  uint64_t drained() const { return drained_; }
  uint64_t filled() const {
    const uint64_t filled = entry_.filled.load(std::memory_order_acquire);
    return std::clamp(filled, drained_, drained_ + protocol::kPieces - 1);
  }
  // As the program says it.
  uint64_t said_to_be_filled() const { return entry_.filled.load(std::memory_order_acquire); }
  bool closed() const {
    return entry_.state.load(std::memory_order_acquire) ==
           static_cast<uint32_t>(protocol::RingState::closed);
  }

  // The piece that comes next: handed over, or being written.
  uint32_t* piece() const { return session_.piece(ring_, drained_); }
  // Gives it back, all zeros. `end`: what was handed over when it was taken; a writer that waits is
  // woken where few are left.
  void give_back(uint64_t end) {
    entry_.drained.store(++drained_, std::memory_order_seq_cst);
    if (end - drained_ > protocol::kFewPieces) return;
    if (entry_.writer_waits.load(std::memory_order_seq_cst) == 0) return;
    entry_.drained_signal.fetch_add(1);
    futex_wake_all(entry_.drained_signal);
  }
  // Gives the ring to the next writer.
  void release() {
    entry_.state.store(static_cast<uint32_t>(protocol::RingState::free), std::memory_order_release);
    entry_.claimed.store(0, std::memory_order_release);
  }

 private:
  const Session& session_;
  const uint32_t ring_;
  protocol::RingEntry& entry_;
  uint64_t drained_ = 0;
};

}  // namespace vestige
