// The chunk of a representation's accesses.
#include <map>
#include <string_view>

#include "store/chunks.h"

namespace vestige {

Bytes AccessChunk::encode() const {
  ByteWriter out;
  std::map<std::string_view, uint64_t> numbers;  // of different bytes
  std::vector<const Bytes*> different;
  out.varint(thread);
  out.varint(streams.size());
  uint64_t last_key = 0, last_base = 0;
  for (const Stream& stream : streams) {
    const std::string_view bytes(reinterpret_cast<const char*>(stream.bytes->data()),
                                 stream.bytes->size());
    const auto [at, fresh] = numbers.try_emplace(bytes, different.size());
    if (fresh) different.push_back(stream.bytes.get());
    out.varint(stream.key - last_key);
    out.varint(stream.count);
    out.svarint(static_cast<int64_t>(stream.base - last_base));
    out.varint(static_cast<uint64_t>(stream.codec));
    out.varint(at->second);
    last_key = stream.key;
    last_base = stream.base;
  }
  out.varint(different.size());
  for (const Bytes* bytes : different) {
    out.varint(bytes->size());
    out.bytes(*bytes);
  }
  return out.take();
}

Result<AccessChunk> AccessChunk::decode(ByteView payload) {
  ByteReader in(payload);
  AccessChunk chunk;
  chunk.thread = in.varint32();
  const size_t count = in.count(5);
  std::vector<uint64_t> numbers;
  uint64_t key = 0, base = 0;
  for (size_t i = 0; i < count && !in.failed(); ++i) {
    Stream& stream = chunk.streams.emplace_back();
    stream.key = key += in.varint();
    stream.count = in.varint();
    stream.base = base += static_cast<uint64_t>(in.svarint());
    const uint64_t codec = in.varint();
    if (codec > UINT8_MAX) return fail(ErrorKind::corrupt, "access chunk: a codec that cannot be");
    stream.codec = static_cast<StreamCodec>(codec);
    numbers.push_back(in.varint());
  }
  std::vector<std::shared_ptr<const Bytes>> different(in.count(1));
  for (auto& shared : different) {
    const ByteView bytes = in.bytes(in.varint());
    shared = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
  }
  for (size_t i = 0; i < numbers.size() && !in.failed(); ++i) {
    if (numbers[i] >= different.size())
      return fail(ErrorKind::corrupt, "access chunk: a stream without bytes");
    chunk.streams[i].bytes = different[numbers[i]];
  }
  if (in.failed()) return fail(ErrorKind::corrupt, "access chunk: its payload is malformed");
  return chunk;
}

}  // namespace vestige
