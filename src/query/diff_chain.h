// What led two runs apart: from the branch where they part, or the first value that differs, back
// along data dependences that differ, in both runs at once.
#pragma once

#include "vestige/diff.h"

namespace vestige {

// Empty when the runs part where nothing was computed, or there are no values. `twins`: the
// functions of A in B.
Result<std::vector<DifferenceStep>> explain_difference(const Trace& a, const Trace& b,
                                                       const std::vector<uint32_t>& twins,
                                                       const ThreadDiff& diff);

}  // namespace vestige
