// Edges (order_log.h) from and to accesses of paths that were left: a signal handler jumped away in
// their middle. Such a path is not in the trace, and what stands at its time is the next path that
// was completed. Its accesses took place between the path before and that one, so, for one that was
// left at time s of its thread:
//
//   an edge to it    becomes one to the whole path with time s: all of that one comes behind it;
//   an edge from it  becomes one from the whole path with time s − 1, with the operation that it
//                    ends in; and since accesses that were left pass the order on, one from each
//                    source of the edges to what was left at time s up to it. Those may have been
//                    left as well.
//
// All of that is true of the run, so it adds no circle. Of several sources in one thread the last
// is enough.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "store/order_chunk.h"

namespace vestige {

// Between accesses of the trace's threads.
struct PlacedEdge {
  uint32_t from_thread = 0, to_thread = 0;
  uint64_t from = 0, to = 0;  // positions
  uint32_t from_statement = 0, to_statement = 0;
};

// Where a thread's accesses and stamps are: by time, then how-manyth of the path.
struct OrderPosition {
  static uint64_t at(uint64_t time, uint64_t ordinal) { return time << 16 | ordinal; }
  static uint64_t time(uint64_t position) { return position >> 16; }
};

class LeftPaths {
 public:
  // The accesses of this time up to this one were left.
  void leave(uint32_t thread, uint64_t time, uint64_t ordinal);
  // The edges that stand for these, in their order. What it saw of paths that were left it
  // remembers.
  std::vector<PlacedEdge> without(const std::vector<PlacedEdge>& edges);

 private:
  struct Source {
    uint64_t to = 0, from = 0;
    uint32_t from_thread = 0, from_statement = 0;
  };
  bool is_left(uint32_t thread, uint64_t position) const;
  void add_sources(const PlacedEdge& edge, std::vector<PlacedEdge>& out) const;

  std::map<std::pair<uint32_t, uint64_t>, uint64_t> last_;  // by thread and time: the last position
  // Of edges to what was left then.
  std::map<std::pair<uint32_t, uint64_t>, std::vector<Source>> sources_;
};

}  // namespace vestige
