// The segments of a stored whole execution trace (docs/wet.md, "A stored WET"): stretches of a
// thread's time, each a control chunk of nodes, a chunk of their values and one of their edges.
#pragma once

#include <vector>

#include "trace/state.h"

namespace vestige {

struct WetSegment {
  uint64_t first_time = 1, paths = 0;
  size_t control = 0;                                  // Trace::State::chunks of the thread
  size_t values_row = SIZE_MAX, edges_row = SIZE_MAX;  // of the directory
  uint64_t end_time() const { return first_time + paths; }
};

inline bool is_wet(const Trace::State& state) { return !state.wet_rows.empty(); }

// By thread, by rising time. Those of which no values are kept are left out.
Result<std::vector<std::vector<WetSegment>>> wet_segments(const Trace::State& state);

}  // namespace vestige
