// Which stretches of threads are ordered by synchronization.
//
// A *segment* is what a thread ran between two of its operations. Its clock says what happened
// before it: the segment S of thread A happened before the segment T of thread B when T's clock has
// at least S's own part in A's place. Within a thread clocks only grow, so the segments of B that
// are concurrent with S follow each other, and both their ends move forward with S.
//
// What each operation takes and gives is in query/order/sync_semantics.h.
//
// An atomic operation has a segment of its own: behind what it acquires, before what it releases.
// A signal handler belongs to the thread it interrupted.
//
// Deferred tasks of OpenMP can be apart from the threads that run them (query/order/tasks.h): then
// there are *strands* in place of threads, first those of the threads outside of tasks, then slots
// in which tasks follow each other, and pieces say which segment of which strand a thread was in. A
// release sequence goes on as long as its thread stores, whatever task it is in.
//
// Reads every operation once. Memory: a segment or three per operation, and one clock for each
// operation that learned something.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "query/order/clock.h"
#include "query/order/object_lives.h"
#include "query/order/tasks.h"
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
  uint32_t segment = 0;  // of its thread; with tasks apart, its piece
  bool stores = false;
};

// A block that was given back: a write of all of it.
struct Freeing {
  uint64_t time = 0;  // of the path that ends in the call
  uint64_t address = 0, bytes = 0;
  uint64_t statement_id = 0;
  uint32_t piece = 0;  // of its thread
};

// With tasks apart: what a thread ran between two of its operations.
struct Piece {
  uint64_t last_time = UINT64_MAX;  // as of segments
  uint32_t strand = 0, segment = 0;
};

struct ThreadOrder {
  std::vector<Segment> segments;
  std::vector<Clock> clocks;
  std::vector<AtomicAccess> atomics;  // by rising time
  std::vector<Freeing> freed;         // by rising time; with tasks apart
  std::vector<Piece> pieces;          // of threads, with tasks apart
  // The segment of a plain access at this time.
  uint32_t segment_of(uint64_t time) const;
  // The piece of one.
  uint32_t piece_of(uint64_t time) const;
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
  // Tasks are ordered by the threads that run them.
  static Result<HappensBefore> read(const Trace& trace);
  // They are apart. What only the accesses tell, once they are known: `own_users`, which use memory
  // that is their thread's own; and where locks and atomic variables are written anew.
  static Result<HappensBefore> read_with_tasks(
      const Trace& trace, std::set<threads::TaskNumber> own_users = {},
      std::shared_ptr<const threads::Rewrites> rewrites = nullptr);

  const ThreadOrder& of(uint32_t thread) const { return threads_[thread]; }
  // With tasks apart.
  uint32_t strands() const { return static_cast<uint32_t>(threads_.size()); }
  uint32_t process(uint32_t strand) const { return processes_[strand]; }
  // Whether a thread's piece is in a task, and memory its own; the task.
  bool uses_own(uint32_t thread, uint32_t piece, uint64_t first, uint64_t last) const;
  threads::TaskNumber task(uint32_t thread, uint32_t piece) const;
  // By rising stamp.
  const std::vector<Reset>& resets() const { return resets_; }
  // What threads synchronized with, by object.
  const std::vector<threads::ObjectUse>& uses() const { return uses_; }
  // Locks that were given back by somebody who did not have them: how often, and the first ones.
  uint64_t misuses() const { return misuses_; }
  const std::vector<SyncMisuse>& first_misuses() const { return first_misuses_; }

  // Which segments of B are concurrent with each one of A: from `first`, up to `end` without it.
  struct Range {
    uint32_t first = 0, end = 0;
  };
  std::vector<Range> concurrent(uint32_t a, uint32_t b) const;

 private:
  class Reader;
  static Result<HappensBefore> read(const Trace& trace, bool tasks,
                                    std::set<threads::TaskNumber> own_users,
                                    std::shared_ptr<const threads::Rewrites> rewrites);
  // The thread was in this task from this piece on; in none without a number.
  struct TaskSince {
    uint32_t piece = 0;
    std::optional<threads::TaskNumber> task;
  };
  const TaskSince* task_at(uint32_t thread, uint32_t piece) const;

  std::vector<ThreadOrder> threads_;           // by strand
  std::vector<uint32_t> processes_;            // by strand
  std::vector<std::vector<TaskSince>> tasks_;  // by thread, with tasks apart
  std::vector<threads::OwnMemory> own_memory_;
  std::vector<Reset> resets_;
  std::vector<threads::ObjectUse> uses_;
  uint64_t misuses_ = 0;
  std::vector<SyncMisuse> first_misuses_;
};

}  // namespace vestige::races
