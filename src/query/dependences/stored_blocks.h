// Blocks of dependences that a trace itself keeps, in a form of its own (query/wet): what
// DependenceReader and BlockCursor take instead of the columns of an index.
#pragma once

#include <memory>

#include "query/dependences/block.h"

namespace vestige {

struct BlockPlace;

// In the blocks of one thread. One owner thread.
class StoredBlockCursor {
 public:
  virtual ~StoredBlockCursor() = default;
  // The shapes of blocks read before are gone.
  virtual Result<void> read(const BlockPlace& place, DependenceBlock& block) = 0;
};

// Immutable.
class StoredBlocks {
 public:
  virtual ~StoredBlocks() = default;
  // All must outlive the cursor.
  virtual std::unique_ptr<StoredBlockCursor> cursor(const Trace& trace, const CallNames& names,
                                                    uint32_t thread) const = 0;
  // DependenceReader::pages.
  virtual Result<std::vector<uint64_t>> pages(uint32_t thread, const BlockPlace& place) const = 0;
};

}  // namespace vestige
