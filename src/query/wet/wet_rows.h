// The rows of a set of statements from a stored whole execution trace, in order, as RowSource gives
// those of a recording. Nothing is evaluated: the nodes that execute a statement of the set are
// merged by their times, and their value groups are walked along.
#pragma once

#include "query/rows/row_source.h"

namespace vestige {

// Both must outlive it.
Result<std::unique_ptr<RowSource>> open_wet_rows(const Trace& trace, const StatementSet& set,
                                                 const RowRange& range);

}  // namespace vestige
