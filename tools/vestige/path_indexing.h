// The index of paths that a query needs, made on the way with a progress bar.
#pragma once

#include "command_line.h"
#include "vestige/paths.h"

namespace vestige::cli {

Result<PathSearch> open_path_search(const Trace& trace, const Presentation& presentation);
Result<PathIndexReport> make_path_index(const Trace& trace, const Presentation& presentation,
                                        uint64_t chunk_bytes);

}  // namespace vestige::cli
