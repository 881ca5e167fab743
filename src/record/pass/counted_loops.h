// Loops that can only go round in one way: no calls, no operations that end a path, no branch but
// those that leave. From their second round on, each completes the same path, so it is enough to
// count the rounds (protocol.h, EventKind::run).
#pragma once

#include <optional>
#include <vector>

#include "layout.h"

namespace vestige {

struct CountedLoop {
  uint32_t header = 0;  // a segment
  uint32_t latch = 0;   // the segment whose cut edge leads back to it
  uint64_t path = 0;    // number of the path from header to header
};

class CountedLoops {
 public:
  explicit CountedLoops(const Layout& layout);

  bool any() const { return !loops_.empty(); }
  // What an edge from one segment to another means, if it means something.
  const CountedLoop* goes_round(uint32_t from, uint32_t to) const;
  bool enters(uint32_t from, uint32_t to) const;
  bool leaves(uint32_t from, uint32_t to) const;

 private:
  static constexpr uint32_t kOutside = UINT32_MAX;
  std::optional<CountedLoop> examine(const Layout& layout, uint32_t latch, uint32_t header);

  std::vector<std::vector<uint32_t>> sources_;  // per segment: where uncut edges to it come from
  std::vector<CountedLoop> loops_;
  std::vector<uint32_t> loop_of_;  // per segment
  std::vector<uint32_t> members_;  // of the loop being examined
};

}  // namespace vestige
