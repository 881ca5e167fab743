// The order of conflicting accesses on its way into the file: what the threads tell of it
// (record/runtime/order.h) less what follows from the rest.
//
// Threads, stamps and edges are a graph: the accesses of a thread follow each other, and so do
// stamps. An edge into an access follows from others when its source comes before what the thread
// had done by then, or before the source of another edge into the same access. To know that, a
// vector clock goes along: each thread's at each of its edges and stamps. What is left is the
// transitive reduction (Netzer 1993), and it is unique.
//
// The clocks of long runs would take much memory, so the log works in batches; from one to the
// next, a thread keeps its last clock only, and an edge from further back teaches nothing but
// itself. Then some edges stay that follow from others, and none goes that does not.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "record/collect/left_paths.h"
#include "store/order_chunk.h"
#include "store/writer.h"

namespace vestige {

// As the target told it: rings by their serials, times in its own clock.
struct TargetEdge {
  uint64_t from_ring = 0, from_time = 0;
  uint64_t to_ring = 0, to_time = 0;
  uint32_t from_statement = 0, to_statement = 0;
  uint16_t from_ordinal = 0, to_ordinal = 0;
};

class OrderLog {
 public:
  struct Moment {
    uint32_t thread;  // kNone: not known
    uint64_t time;
  };
  // Where a ring's thread was when it had completed so many paths.
  using Find = std::function<Moment(uint64_t ring, uint64_t target_time)>;
  OrderLog(StoreWriter& writer, Find find) : writer_(writer), find_(std::move(find)) {}

  // Edges of one ring and stamps of one thread come in order.
  void edge(const TargetEdge& edge) { edges_.push_back(edge); }
  void stamp(uint32_t thread, uint64_t time, uint64_t stamp);
  // A thread of the trace that begins behind what its creator had done by then.
  void begin(uint32_t thread, uint32_t creator, uint64_t creator_time);
  void lost() { ++lost_; }
  // The first so many accesses that a ring's thread has with this time were those of paths that
  // were left.
  void left(uint64_t ring, uint64_t target_time, uint64_t accesses) {
    left_.push_back({ring, target_time, accesses});
  }

  // Writes what there is when it has become much.
  Result<void> write_some();
  Result<void> finish();

  uint64_t edges() const { return written_; }
  uint64_t lost_accesses() const { return lost_; }

 private:
  using Clock = std::vector<uint64_t>;  // by thread: what has at most this position comes before
  struct Edge {
    uint64_t from = 0;  // position
    uint32_t from_thread = 0;
    OrderRow row;
  };
  // Something of a thread that changes its clock.
  struct Item {
    uint64_t position = 0;
    uint64_t stamp = 0;  // 0: edges [first, end) of the thread's
    size_t first = 0, end = 0;
  };
  struct Thread {
    std::vector<Edge> edges;
    std::vector<Item> items;
    size_t next = 0;
    Clock clock;
    uint32_t creator = kNone;
    uint64_t creator_position = 0;
    bool begun = false;
    std::vector<uint64_t> positions;  // of the clocks below, rising
    std::vector<uint64_t> clocks;     // side by side
    std::vector<OrderRow> kept;
  };

  std::vector<PlacedEdge> placed();
  void sort_in();
  void reduce();
  bool is_ready(const Thread& thread) const;
  void begin(Thread& thread);
  void take(uint32_t number, Thread& thread);
  void take_edges(Thread& thread, const Item& item);
  void join(Clock& clock, const uint64_t* other) const;
  // The clock of a thread at a position; null: it is not known any more.
  const uint64_t* clock_at(const Thread& thread, uint64_t position) const;
  void remember(Thread& thread, uint64_t position);
  Result<void> write_kept();

  StoreWriter& writer_;
  Find find_;
  struct Left {
    uint64_t ring, time, accesses;
  };
  std::vector<TargetEdge> edges_;
  std::vector<Left> left_;
  LeftPaths left_paths_;
  std::vector<Thread> threads_;
  std::vector<uint64_t> stamps_;  // of this batch, rising
  size_t next_stamp_ = 0;
  uint64_t stamp_count_ = 0;
  Clock stamped_;            // what comes before the last stamp
  uint64_t last_stamp_ = 0;  // the highest so far
  uint64_t written_ = 0, lost_ = 0;
};

}  // namespace vestige
