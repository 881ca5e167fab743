// The edges of a stored whole execution trace as blocks of dependences, which slices walk: the
// labels of the nodes that run in a block, taken from the edges' streams as the walk comes by,
// forwards or backwards.
#pragma once

#include "query/dependences/dependence_file.h"
#include "store/writer.h"

namespace vestige {

// ErrorKind::unsupported when the trace has no edges. The trace must outlive it.
Result<DependenceReader> open_wet_edges(const Trace& trace);

// The order of the runs of all threads (interleaving.h), as a chunk.
Bytes encode_runs(const Interleaving& order, size_t threads);

}  // namespace vestige
