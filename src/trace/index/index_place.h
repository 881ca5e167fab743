// Where a trace's index files lie.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trace/index/index_file.h"
#include "vestige/trace.h"

namespace vestige {

// Beside the trace, and in the cache directory: $XDG_CACHE_HOME/vestige or ~/.cache/vestige.
std::vector<std::string> cache_places(const Trace& trace, const CacheKind& kind);
// At the first of them that can be written.
Result<std::unique_ptr<CacheWriter>> create_cache(const Trace& trace, const CacheKind& kind);

// The first sound index of values of this trace.
std::optional<IndexReader> find_index(const Trace& trace);

}  // namespace vestige
