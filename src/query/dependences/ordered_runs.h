// The runs of an Interleaving, where the trace has its order of accesses (vestige/order.h).
//
// Whole paths are put in order: a path comes behind those that an edge into it comes from, and
// behind the stamps before it; one that ends with an atomic operation is taken at its stamp. Paths
// of two threads may be entangled, each with an access before one of the other's. Then one of them
// is *early*: it stands in front of a path that it should come behind. It is settled, and its
// thread and all who wait for it go on, when what it should come behind is there and settled, too
// (early paths that wait for each other settle together). All paths from it up to that moment are
// *doubtful*. What an early path reads, and what was written in a doubtful one, may not be what it
// seems: an early path may have read too early, and its writes may have been made behind those of
// doubtful ones. All else is as it was: whatever comes before an access of a settled path stands
// before it, so only pairs of an early and a doubtful path can stand the wrong way round.
//
// Memory: some words for each edge and stamp.
#pragma once

#include <optional>

#include "query/dependences/interleaving.h"

namespace vestige {

struct OrderedRuns {
  struct Early {
    uint64_t path = 0;     // how many paths come before it
    uint64_t settled = 0;  // and before the first that is not doubtful
  };
  std::vector<ThreadRun> runs;
  std::vector<Early> early;
};

// Nothing: the trace has no order, or one that does not hold.
Result<std::optional<OrderedRuns>> ordered_runs(const Trace& trace,
                                                const std::vector<uint32_t>& threads);

}  // namespace vestige
