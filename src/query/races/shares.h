// Memory cut into shares, so that the runs of one share at a time can be held.
//
// Where there are too many runs (access_runs.h) they are counted first, by where they begin, and
// memory is cut so that each share has about so many. Each share is then looked at alone, which
// costs an evaluation of the whole trace.
//
// An access is in every share that it touches, and a run is cut where its accesses go from one
// share to another. Two accesses meet in the share of the lowest byte that they share: where both
// come over the lower border of a share, they have met in one before. So every pair is counted
// once, whatever the shares.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "query/races/access_runs.h"

namespace vestige::races {

// From `first` to `last`, both included.
struct Share {
  uint64_t first = 0, last = UINT64_MAX;
  bool over_lower_border(const StridedInterval& run) const { return run.start < first; }
};

// Keeps what is in the share. Afterwards a run comes over the lower border with all its accesses,
// or with none.
void cut_to(const Share& share, std::vector<AccessRun>& runs);

// How many runs begin where. Pages where many do are counted by cells, from then on.
class RunCounts {
 public:
  // `most`: what a share is to have.
  explicit RunCounts(uint64_t most) : most_(most) {}
  void add(const AccessRun& run);
  // Memory in shares of about so many runs, by rising address. A cell is not cut, however many
  // begin in it.
  std::vector<Share> shares() const;

 private:
  static constexpr uint32_t kPageBits = 14, kCellBits = 3;
  using Cells = std::array<uint64_t, size_t{1} << (kPageBits - kCellBits)>;
  struct Page {
    uint64_t runs = 0;
    std::unique_ptr<Cells> cells;
  };
  uint64_t most_;
  std::unordered_map<uint64_t, Page> pages_;
};

}  // namespace vestige::races
