// What a representation's index says of a thread's operations (store/sync_index_chunk.h).
#pragma once

#include <optional>

#include "store/sync_index_chunk.h"
#include "vestige/trace.h"

namespace vestige {

// Nothing when the trace has none of this thread, or one that is about other chunks.
std::optional<SyncIndexChunk> sync_index(const Trace& trace, uint32_t thread);

}  // namespace vestige
