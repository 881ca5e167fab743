// What the verifier needs of a path, taken from the path graph on its own: it shares neither code
// nor caches with the path table that queries use.
//
// A path number is decoded by subtracting: at each segment, edge by edge, the number of paths that
// start with the earlier edges. Those numbers are counted here by plain recursion over the graph
// (made iterative), not taken from the numbering tables.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "trace/program_table.h"

namespace vestige {

struct PathFacts {
  uint32_t function = 0;
  uint32_t first = 0;        // segment it starts at
  uint32_t last = 0;         // segment it ends in
  uint32_t goes_to = kNone;  // segment the next path must start at; kNone: any edge of `last`
  bool enters = false;
  bool leaves = false;
  SegmentEnd end = SegmentEnd::branch;
  uint64_t statements = 0;
};

class PathFactTable {
 public:
  explicit PathFactTable(const ProgramTable& program)
      : program_(program), counts_(program.functions().size()), recent_(kRecent) {}

  // nullptr: no such path. Valid until the next call.
  const PathFacts* find(uint32_t id) {
    Recent& slot = recent_[(id * 0x9e3779b1u) >> (32 - kRecentBits)];
    if (slot.known && slot.id == id) return &slot.facts;
    return find_slow(id, slot);
  }

 private:
  static constexpr uint32_t kRecentBits = 14;
  static constexpr size_t kRecent = size_t{1} << kRecentBits;
  // Then all are forgotten, and taken apart again when met.
  static constexpr size_t kMaxKept = 1 << 20;
  struct Recent {
    bool known = false;
    uint32_t id = 0;
    PathFacts facts;
  };
  const PathFacts* find_slow(uint32_t id, Recent& slot);
  std::optional<PathFacts> take_apart(uint32_t id);
  const std::vector<uint64_t>& count_paths(uint32_t function);

  const ProgramTable& program_;
  std::vector<std::vector<uint64_t>> counts_;  // per function, per segment: paths from there
  std::unordered_map<uint32_t, PathFacts> kept_;
  std::vector<Recent> recent_;
};

}  // namespace vestige
