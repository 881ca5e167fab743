// The verifier's own reading of the container: from the first byte to the last, chunk by chunk,
// by the frozen structures of store/format.h alone, and only then against the directory.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "store/chunks.h"
#include "trace/verify/thread_check.h"

namespace vestige {

struct FoundChunk {
  format::ChunkKind kind = format::ChunkKind::meta;
  uint64_t offset = 0;
  uint64_t sequence = 0;
  ByteView payload;  // checksum verified
};

// Every chunk whose header and payload check, in file order. Whatever else is wrong becomes a
// problem.
std::vector<FoundChunk> check_file(ByteView file, Problems& problems);

}  // namespace vestige
