// The head of a chunk of synchronization operations; its rows are in sync_rows.h.
#include "store/chunks.h"

namespace vestige {

Bytes SyncChunk::encode() const {
  ByteWriter out;
  out.varint(thread);
  out.varint(first);
  out.varint(count);
  out.varint(atomics);
  out.varint(last_time);
  out.bytes(rows);
  return out.take();
}

Result<SyncChunk::View> SyncChunk::view(ByteView payload) {
  ByteReader in(payload);
  View chunk;
  chunk.thread = in.varint32();
  chunk.first = in.varint();
  chunk.count = in.varint();
  chunk.atomics = in.varint();
  chunk.last_time = in.varint();
  chunk.rows = in.bytes(in.remaining());
  if (in.failed() || chunk.atomics > chunk.count || chunk.first > UINT64_MAX - chunk.count)
    return fail(ErrorKind::corrupt, "sync chunk: its payload is malformed");
  return chunk;
}

Result<SyncChunk> SyncChunk::decode(ByteView payload) {
  const auto seen = view(payload);
  if (!seen) return std::unexpected(seen.error());
  SyncChunk chunk;
  chunk.thread = seen->thread;
  chunk.first = seen->first;
  chunk.count = seen->count;
  chunk.atomics = seen->atomics;
  chunk.last_time = seen->last_time;
  chunk.rows.assign(seen->rows.begin(), seen->rows.end());
  return chunk;
}

}  // namespace vestige
