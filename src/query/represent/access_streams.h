// A thread's accesses to shared memory as streams: all in order (dor), or the addresses of each
// load and store (cdr).
//
// In order: a stream of the codec `sequitur`; 0 is the thread's next synchronization operation,
// another value is 1 + 2 × address + 1 where it is a write. Of each: streams of the codec `runs`,
// or of another one where that is smaller; and what the program does not tell of them
// (store/access_details_chunk.h), with the accesses of library functions.
#pragma once

#include "query/represent/shared_pages.h"
#include "store/access_details_chunk.h"

namespace vestige {

inline constexpr uint64_t kSyncInOrder = 0;
constexpr uint64_t in_order(uint64_t address, bool write) { return 1 + 2 * address + write; }

Result<AccessChunk> accesses_in_order(const Trace& trace, uint32_t thread, ReferenceSource& source,
                                      const SharedPages& pages);
// Memory: a grammar per load and store.
struct AccessesOfEach {
  AccessChunk addresses;
  AccessDetailsChunk details;
};
Result<AccessesOfEach> addresses_of_each(const Trace& trace, uint32_t thread,
                                         ReferenceSource& source, const SharedPages& pages);

}  // namespace vestige
