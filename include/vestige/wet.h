// A whole execution trace as a file ("Whole Execution Traces", sections 2 to 4): nodes are paths,
// labelled with the times at which they ran and with the values of what they executed, and edges
// say which execution depends on which. Everything is kept in streams that are walked forwards and
// backwards as they are.
//
//     auto report = vestige::write_wet(trace, "program.wet.vst");
//
// The file is a trace like any other (Trace::open): walks, histories of values and addresses
// (values.h) and slices (slice.h) answer from it what they answer from the recording, and evaluate
// nothing. docs/wet.md, "A stored WET", says what it lacks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vestige/api.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
namespace vestige {

struct WetReport {
  uint64_t statements = 0, paths = 0;  // executed
  uint64_t nodes = 0;                  // different paths, per thread
  uint64_t segments = 0;
  uint64_t groups = 0;  // of values, over all nodes
  uint64_t labels = 0;  // of edges: executions of dependences that are told
  uint64_t time_bytes = 0, value_bytes = 0, edge_bytes = 0;  // compressed
  uint64_t file_bytes = 0;
};

struct WetOptions {
  std::function<void(uint64_t paths)> progress = nullptr;  // more that were written
  // Bytes of labels that wait to be compressed; then a segment ends. A segment has at most
  // `most_paths` paths.
  uint64_t most_memory = uint64_t{512} << 20;
  uint64_t most_paths = uint64_t{1} << 22;
};

// ErrorKind::unsupported when the trace holds no values. Uses the index of dependences
// (dependences.h), or makes one in memory.
Result<WetReport> write_wet(const Trace& trace, const std::string& file,
                            const WetOptions& options = {});

// Whether the trace is one.
bool is_wet(const Trace& trace);

// Walks all that one keeps: every value of every node, every label of every edge. What verify()
// does not: that knows control flow and checksums. Nothing for other traces.
struct WetCheck {
  uint64_t values = 0;                // and addresses that are known
  std::vector<std::string> problems;  // one sentence each
};
Result<WetCheck> check_wet(const Trace& trace);

}  // namespace vestige
VESTIGE_API_END
