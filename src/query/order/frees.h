// Giving memory back, as an access: who frees a block writes all of it.
//
// Only where the call that the thread was in is one that frees: free, realloc, the operators
// delete. What other functions free inside of themselves they may have ordered by means that are
// not recorded.
//
// One owner thread. Memory: a cursor for each thread.
#pragma once

#include <map>
#include <optional>

#include "vestige/sync.h"
#include "vestige/trace.h"

namespace vestige::threads {

struct FreedBlock {
  uint64_t statement_id = 0;  // of the call
  uint64_t address = 0, bytes = 0;
};

class FreedBlocks {
 public:
  // The trace must outlive it.
  explicit FreedBlocks(const Trace& trace) : trace_(&trace) {}
  // What an operation freed; nothing when it is none that counts. Those of one thread in its order.
  std::optional<FreedBlock> of(const SyncOperation& operation);

 private:
  const Trace* trace_;
  std::map<uint32_t, std::optional<PathCursor>> cursors_;  // by thread
};

}  // namespace vestige::threads
