// Where a trace's index lies.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trace/index/index_file.h"
#include "vestige/trace.h"

namespace vestige {

// Beside the trace, and in the cache directory: $XDG_CACHE_HOME/vestige or ~/.cache/vestige.
std::vector<std::string> index_places(const Trace& trace);
// The first of them that holds a sound index of this trace.
std::optional<IndexReader> find_index(const Trace& trace);
// At the first of them that can be written.
Result<std::unique_ptr<IndexWriter>> create_index(const Trace& trace);

}  // namespace vestige
