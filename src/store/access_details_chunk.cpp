#include "store/access_details_chunk.h"

namespace vestige {

Bytes AccessDetailsChunk::encode() const {
  ByteWriter out;
  out.varint(thread);
  out.varint(unknown);
  out.varint(streams.size());
  uint64_t last_key = 0;
  for (const Stream& stream : streams) {
    out.varint(stream.key - last_key);
    out.varint(stream.count);
    last_key = stream.key;
    uint8_t present = 0;
    for (size_t c = 0; c < kColumns; ++c)
      if (stream.columns[c].bytes) present |= static_cast<uint8_t>(1 << c);
    out.u8(present);
    for (const Encoded& column : stream.columns) {
      if (!column.bytes) continue;
      out.varint(static_cast<uint64_t>(column.codec));
      out.varint(column.bytes->size());
      out.bytes(*column.bytes);
    }
  }
  return out.take();
}

Result<AccessDetailsChunk> AccessDetailsChunk::decode(ByteView payload) {
  ByteReader in(payload);
  AccessDetailsChunk chunk;
  chunk.thread = in.varint32();
  chunk.unknown = in.varint();
  const size_t count = in.count(3);
  uint64_t key = 0;
  for (size_t i = 0; i < count && !in.failed(); ++i) {
    Stream& stream = chunk.streams.emplace_back();
    stream.key = key += in.varint();
    stream.count = in.varint();
    const uint8_t present = in.u8();
    if (present >> kColumns != 0)
      return fail(ErrorKind::corrupt, "access details: a column that cannot be");
    for (size_t c = 0; c < kColumns; ++c) {
      if ((present >> c & 1) == 0) continue;
      const uint64_t codec = in.varint();
      if (codec > UINT8_MAX)
        return fail(ErrorKind::corrupt, "access details: a codec that cannot be");
      const ByteView bytes = in.bytes(in.varint());
      stream.columns[c] = {static_cast<StreamCodec>(codec),
                           std::make_shared<const Bytes>(bytes.begin(), bytes.end())};
    }
  }
  if (in.failed()) return fail(ErrorKind::corrupt, "a chunk of access details is cut short");
  return chunk;
}

}  // namespace vestige
