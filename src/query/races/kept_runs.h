// The accesses of a cdr as runs by segment (access_runs.h), straight from the runs that it keeps.
//
// How often a thread executed each statement between two of its operations follows from its paths;
// so many addresses of the statement's stream belong to that segment. A run of the stream is cut
// where a segment ends, and never expanded.
//
// Cost: a step for each path of the thread (one for equal paths in a row), and for each run.
// Memory: the streams of one thread, and the runs of one segment.
#pragma once

#include <functional>
#include <vector>

#include "query/races/access_runs.h"

namespace vestige::races {

// Plain accesses of a thread. One call of use(runs) at a time; false ends it, and is given back.
Result<bool> read_kept_runs(const Trace& trace, uint32_t thread, const ThreadOrder& order,
                            const std::function<bool(ThreadRuns&)>& use);

// When a run's statement first touched an address.
struct KeptTouch {
  uint32_t thread = 0;
  AccessRun run;
  uint64_t address = 0;
  uint64_t time = 0;  // found; the run's first when that fails
};
// Goes over the paths of each thread twice, however many there are.
Result<void> find_kept_times(const Trace& trace, std::vector<KeptTouch>& touches);

}  // namespace vestige::races
