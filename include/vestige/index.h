// The index of a full recording: keyframes that let any window of its time be evaluated alone, in a
// file beside the trace (T.vst.idx) or, where that cannot be written, in the cache directory.
//
//     auto report = vestige::build_index(trace);
//
// Queries that profit from it make it themselves when it is missing. It is a cache: one that is
// damaged, of another version or of another trace is made anew, and queries without it are slow but
// right.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "vestige/api.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
namespace vestige {

// Paths done of how many. Called from one thread at a time, not always the same one.
using IndexProgress = std::function<void(uint64_t done, uint64_t total)>;

struct IndexOptions {
  IndexProgress progress;
  uint64_t window_statements = uint64_t{1} << 20;  // a window ends with the path that reaches this
  uint64_t block_paths = uint64_t{1} << 13;        // dependences.h: paths of a block, at most these
};

struct IndexReport {
  std::string file;
  uint64_t bytes = 0;
  uint64_t windows = 0;
  uint64_t paths = 0, statements = 0;  // of the threads whose values were told
};

// Makes the index anew and puts it in its place. ErrorKind::unsupported when the trace holds no
// values, io when it can be written nowhere. Uses all cores, a thread of the trace each.
Result<IndexReport> build_index(const Trace& trace, const IndexOptions& options = {});

// What a query calls before it needs the index: makes it when there is none that fits and the trace
// is long enough for it to matter. False: there is none, which queries can live with.
bool ensure_index(const Trace& trace, const IndexOptions& options = {});

}  // namespace vestige
VESTIGE_API_END
