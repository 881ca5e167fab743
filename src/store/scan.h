// Finding the chunks of a file without its directory: what recovery reads.
#pragma once

#include <string>
#include <vector>

#include "store/chunk_header.h"
#include "store/chunks.h"

namespace vestige {

struct ScannedChunks {
  std::vector<DirectoryChunk::Row> rows;  // whole chunks of this trace, in file order
  std::vector<uint64_t> sequences;        // of each row
  std::vector<std::string> damage;        // byte ranges that hold none, and why, in words
};
// Looks for chunk headers behind the file header. Chunks may stand at any byte (something may have
// been cut out in front of them); a chunk met a second time is left out. Directory chunks are left
// out too: a new file gets a new one.
ScannedChunks scan_chunks(ByteView file, const TraceId& trace_id);

}  // namespace vestige
