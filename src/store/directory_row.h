// What the directory says of a control chunk, from the chunk itself.
#pragma once

#include "store/chunks.h"

namespace vestige {

// Offset and payload size are the caller's to fill in.
inline DirectoryChunk::Row directory_row(const ControlChunk::View& chunk) {
  DirectoryChunk::Row row;
  row.kind = format::ChunkKind::control;
  row.thread = chunk.thread;
  row.first_time = chunk.first_time;
  row.path_count = chunk.path_count;
  row.stack_bytes = chunk.stack.size();
  row.event_bytes = chunk.events.size();
  row.word_bytes = chunk.words.size();
  return row;
}

}  // namespace vestige
