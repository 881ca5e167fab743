// A copy of a trace, with something else in the place of its order of accesses.
#pragma once

#include <functional>

#include "store/order_chunk.h"
#include "store/reader.h"
#include "store/writer.h"

namespace vestige {

template <class Chunk>
bool copy_chunk(StoreWriter& to, ByteView payload) {
  const auto chunk = Chunk::decode(payload);
  return chunk && to.append(*chunk);
}

inline bool copy_memory(StoreWriter& to, ByteView payload) {
  auto chunk = SyncChunk::decode(payload);
  if (!chunk) return false;
  chunk->memory = true;
  return to.append(*chunk).has_value();
}

// `order` gets each of the chunks, and in the end none. What it gives is the exit code of a
// failure, or 0.
inline int copy_trace(const char* from_file, const char* to_file,
                      const std::function<bool(StoreWriter&, const OrderChunk*)>& order) {
  const auto from = StoreReader::open(from_file);
  auto to = StoreWriter::create(to_file);
  if (!from || !to) return 4;
  using format::ChunkKind;
  for (size_t i = 0; i < from->rows().size(); ++i) {
    const auto payload = from->payload(i);
    if (!payload) return 3;
    const ChunkKind kind = from->rows()[i].kind;
    const auto copy_order = [&] {
      const auto chunk = OrderChunk::decode(*payload);
      return chunk && order(*to, &*chunk);
    };
    const bool copied = kind == ChunkKind::meta        ? copy_chunk<MetaChunk>(*to, *payload)
                        : kind == ChunkKind::process   ? copy_chunk<ProcessChunk>(*to, *payload)
                        : kind == ChunkKind::module    ? copy_chunk<ModuleChunk>(*to, *payload)
                        : kind == ChunkKind::thread    ? copy_chunk<ThreadChunk>(*to, *payload)
                        : kind == ChunkKind::control   ? copy_chunk<ControlChunk>(*to, *payload)
                        : kind == ChunkKind::end       ? copy_chunk<EndChunk>(*to, *payload)
                        : kind == ChunkKind::addresses ? copy_chunk<AddressChunk>(*to, *payload)
                        : kind == ChunkKind::values    ? copy_chunk<ValuesChunk>(*to, *payload)
                        : kind == ChunkKind::sync      ? copy_chunk<SyncChunk>(*to, *payload)
                        : kind == ChunkKind::memory    ? copy_memory(*to, *payload)
                        : kind == kOrderChunk          ? copy_order()
                                                       : true;
    if (!copied) return 3;
  }
  if (!order(*to, nullptr)) return 4;
  return to->finish() ? 0 : 4;
}

}  // namespace vestige
