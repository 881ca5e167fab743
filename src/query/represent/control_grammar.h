// A thread's control flow as chunks whose words are grammars, with the thread's synchronization
// operations marked in them.
//
// A chunk ends when its grammar has kMostSymbols, since a grammar is read as a whole: so whoever
// goes to a time, or to an operation, reads one small grammar and no other. Where a thread repeats
// itself, which is what grammars are for, it is one chunk.
#pragma once

#include <functional>

#include "store/sync_index_chunk.h"
#include "store/writer.h"
#include "trace/state.h"
#include "vestige/trace.h"

namespace vestige {

// Gives the bytes of the grammars. Adds to the index which operations each chunk has marks of.
Result<uint64_t> write_control(const Trace& trace, uint32_t thread, StoreWriter& writer,
                               SyncIndexChunk& index,
                               const std::function<void(uint64_t)>& progress);

}  // namespace vestige
