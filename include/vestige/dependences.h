// The index of dependences of a full recording: for everything that read memory, who wrote it. In a
// file beside the trace (T.vst.dep) or, where that cannot be written, in the cache directory.
//
//     auto report = vestige::build_dependences(trace);
//
// Slices need it, and make it when it is missing. It is a cache, like the index of values
// (index.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vestige/api.h"
#include "vestige/index.h"
#include "vestige/query.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
namespace vestige {

struct DependenceReport {
  std::string file;
  uint64_t bytes = 0;
  uint64_t blocks = 0;
  uint64_t paths = 0, statements = 0;  // of the threads whose values were told
  uint64_t reads = 0;                  // of memory: labels
};

// Makes the index anew and puts it in its place; that of values first, when it is missing.
// ErrorKind::unsupported when the trace holds no values, or when a thread touches too much memory;
// io when it can be written nowhere. Uses all cores, a thread of the trace each.
Result<DependenceReport> build_dependences(const Trace& trace, const IndexOptions& options = {});

// What a query calls before it needs the index: makes it when there is none that fits and the trace
// is long enough for it to matter. False: there is none, and slices make one in memory.
bool ensure_dependences(const Trace& trace, const IndexOptions& options = {});

// One execution that wrote to memory.
struct MemoryWrite {
  uint32_t thread = 0;
  StatementRef statement;
  uint64_t time = 0, instance = 0;  // of its thread; instances count from 1
  uint64_t address = 0, bytes = 0;  // all that it wrote
  std::optional<uint64_t> value;
};
// Every execution that wrote any of these bytes, thread by thread, in order; `most` of them.
// Evaluates the whole trace. Writes whose address is not known are left out.
Result<std::vector<MemoryWrite>> writes_to(const Trace& trace, uint64_t address, uint64_t bytes,
                                           uint64_t most = uint64_t{1} << 24);

}  // namespace vestige
VESTIGE_API_END
