#include "store/chunks.h"

namespace vestige {

Bytes AccessChunk::encode() const {
  ByteWriter out;
  out.varint(thread);
  out.varint(streams.size());
  uint64_t last = 0;
  for (const Stream& stream : streams) {
    out.varint(stream.key - last);
    last = stream.key;
    out.varint(stream.count);
    out.varint(stream.bytes.size());
  }
  for (const Stream& stream : streams) out.bytes(stream.bytes);
  return out.take();
}

Result<AccessChunk> AccessChunk::decode(ByteView payload) {
  ByteReader in(payload);
  AccessChunk chunk;
  chunk.thread = in.varint32();
  const size_t count = in.count(3);
  std::vector<uint64_t> sizes;
  uint64_t key = 0;
  for (size_t i = 0; i < count && !in.failed(); ++i) {
    key += in.varint();
    chunk.streams.push_back({key, in.varint(), {}});
    sizes.push_back(in.varint());
  }
  for (size_t i = 0; i < sizes.size() && !in.failed(); ++i) {
    const ByteView bytes = in.bytes(sizes[i]);
    chunk.streams[i].bytes.assign(bytes.begin(), bytes.end());
  }
  if (in.failed()) return fail(ErrorKind::corrupt, "access chunk: its payload is malformed");
  return chunk;
}

}  // namespace vestige
