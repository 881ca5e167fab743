// Which stretches of threads are ordered by synchronization.
//
// A *segment* is what a thread ran between two of its operations. Its clock says what happened
// before it: the segment S of thread A happened before the segment T of thread B when T's clock has
// at least S's own part in A's place. Within a thread clocks only grow, so the segments of B that
// are concurrent with S follow each other, and both their ends move forward with S.
//
// Edges are those of POSIX, C11 and C++:
//
//   unlock → lock of mutexes and spin locks; writers' unlock → any lock, readers' unlock → write
//   lock of rwlocks; a wait on a condition variable is an unlock, its end a lock, and signalling
//   orders nothing by itself barrier arrivals → departures of the same round the k-th post of a
//   semaphore → every wait from the (k + initial value)-th on once: the initialization → everybody
//   who knows it complete creation → the thread's beginning; its end → join atomic operations:
//   release → acquire through release sequences and fences. A store ends the sequences of other
//   threads at its location (its own go on, as in C11); a read-modify-write keeps them.
//
// An atomic operation has a segment of its own: behind what it acquires, before what it releases.
// A signal handler belongs to the thread it interrupted.
//
// Reads every operation once. Memory: a segment or three per operation, and one clock for each
// operation that learned something.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "query/races/clock.h"
#include "vestige/result.h"
#include "vestige/sync.h"
#include "vestige/trace.h"

namespace vestige::races {

struct Segment {
  uint64_t last_time = UINT64_MAX;  // of plain accesses in it; those of the segment before are over
  uint64_t first_stamp = 0;         // it began behind the operation with this stamp
  uint64_t last_stamp = UINT64_MAX;  // and was over when this one was taken
  uint32_t own = 1;                  // its thread's part of its clock
  uint32_t known = 0;                // ThreadOrder::clocks: the others' parts
};

// An atomic access, which has a segment to itself.
struct AtomicAccess {
  uint64_t time = 0;  // of the path it ends
  uint64_t address = 0;
  uint32_t segment = 0;
  bool stores = false;
};

struct ThreadOrder {
  std::vector<Segment> segments;
  std::vector<Clock> clocks;
  std::vector<AtomicAccess> atomics;  // by rising time
  // The segment of a plain access at this time.
  uint32_t segment_of(uint64_t time) const;
  const Clock& clock(uint32_t segment) const { return clocks[segments[segment].known]; }
};

// Memory that was handed out anew: accesses on both sides of it are of different objects.
struct Reset {
  uint32_t process = 0;
  uint64_t first = 0, last = 0;  // addresses, both included
  uint64_t stamp = 0;
};

class HappensBefore {
 public:
  static Result<HappensBefore> read(const Trace& trace);

  const ThreadOrder& of(uint32_t thread) const { return threads_[thread]; }
  // By rising stamp.
  const std::vector<Reset>& resets() const { return resets_; }

  // Which segments of B are concurrent with each one of A: from `first`, up to `end` without it.
  struct Range {
    uint32_t first = 0, end = 0;
  };
  std::vector<Range> concurrent(uint32_t a, uint32_t b) const;

 private:
  class Reader;
  std::vector<ThreadOrder> threads_;
  std::vector<Reset> resets_;
};

}  // namespace vestige::races
