// The chunks of values: addresses of modules, and values told.
#include "base/squeeze.h"
#include "store/chunks.h"

namespace vestige {

Bytes AddressChunk::encode() const {
  ByteWriter out;
  out.varint(module);
  out.varint(load_address);
  out.varint(functions.size());
  for (const auto& function : functions) {
    out.varint(function.size());
    // Near each other within a module, and 0 is common.
    for (const uint64_t address : function)
      out.varint(address == 0 ? 0 : address - load_address + 1);
  }
  if (table) out.varint(*table);
  return squeeze(out.take());
}

Result<AddressChunk> AddressChunk::decode(ByteView payload) {
  auto raw = unsqueeze(payload, "address chunk");
  if (!raw) return std::unexpected(std::move(raw.error()));
  ByteReader in(*raw);
  AddressChunk chunk;
  chunk.module = in.varint32();
  chunk.load_address = in.varint();
  const size_t functions = in.count(1);
  for (size_t f = 0; f < functions && !in.failed(); ++f) {
    auto& list = chunk.functions.emplace_back();
    const size_t n = in.count(1);
    for (size_t i = 0; i < n && !in.failed(); ++i) {
      const uint64_t distance = in.varint();
      list.push_back(distance == 0 ? 0 : distance - 1 + chunk.load_address);
    }
  }
  if (in.remaining() > 0) chunk.table = in.varint32();
  if (in.failed()) return fail(ErrorKind::corrupt, "address chunk: its payload is malformed");
  return chunk;
}

Bytes ValuesChunk::encode() const {
  ByteWriter out;
  out.varint(thread);
  out.varint(count);
  out.bytes(rows);
  if (count == 0) out.varint(complete);
  return out.take();
}

Result<ValuesChunk> ValuesChunk::decode(ByteView payload) {
  ByteReader in(payload);
  ValuesChunk chunk;
  chunk.thread = in.varint32();
  chunk.count = in.varint();
  if (chunk.count == 0 && in.remaining() != 0)
    chunk.complete = std::min(in.varint(), UINT64_MAX - 1);
  const ByteView rows = in.bytes(in.remaining());
  if (in.failed()) return fail(ErrorKind::corrupt, "values chunk: its payload is malformed");
  chunk.rows.assign(rows.begin(), rows.end());
  return chunk;
}

}  // namespace vestige
