// What led two runs apart: from the branch where they part, or the last value that differs, back
// along dependences between executions that differ.
#pragma once

#include "query/diff/diff_values.h"
#include "vestige/diff.h"

namespace vestige {

// Fills in `why` and the instances of `value` and `last`. `twins`: the functions of A in B.
Result<void> explain_difference(const Trace& a, const Trace& b, const std::vector<uint32_t>& twins,
                                const DifferingExecutions& differing, ThreadDiff& diff);

}  // namespace vestige
