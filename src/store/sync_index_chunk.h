// Where the marks of synchronization operations lie in a thread's grammars (docs/format.md, "sync
// index"): with it the one grammar that holds an operation is found without reading any.
//
// It says nothing that does not follow from the other chunks, but for misuses, which follow from
// what a representation may not hold any more.
#pragma once

#include <vector>

#include "store/chunks.h"

namespace vestige {

// A chunk kind since minor 1.
inline constexpr format::ChunkKind kSyncIndexChunk{15};

struct SyncIndexChunk {
  struct Control {
    uint64_t before = 0;  // operations of the thread before the first mark
    uint64_t marks = 0;   // of the operations from there on, one after the other
  };
  struct Misuse {
    uint64_t number = 0;  // of the operation
    uint32_t holder = 0;  // kNone: nobody had the lock
  };

  uint32_t thread = 0;
  // The thread's paths tell of the same atomic operations as its chunks of operations do, and none
  // are missing: so the m-th operation that a walk meets is the one with number m.
  bool walks = false;
  std::vector<Control> chunks;  // one for each control chunk of the thread, by rising time
  std::vector<Misuse> misuses;  // of locks, by rising number

  Bytes encode() const;
  static Result<SyncIndexChunk> decode(ByteView payload);
};

}  // namespace vestige
