// spoil_order TRACE OUT HOW: a copy of a trace whose order of accesses does not hold. HOW: thread, itself, time, statement,
// circle; or none, for a copy that is as good.
#include <cstdio>
#include <cstring>

#include "store/order_chunk.h"
#include "store/reader.h"
#include "store/writer.h"

using namespace vestige;

namespace {

void spoil(OrderChunk& chunk, const char* how) {
  if (chunk.rows.empty()) return;
  OrderRow& row = chunk.rows.back();
  if (!std::strcmp(how, "thread")) row.from_thread = 1000;
  if (!std::strcmp(how, "itself")) row.from_thread = chunk.thread;
  if (!std::strcmp(how, "time")) row.from_time += 1000000;
  if (!std::strcmp(how, "statement")) row.from_statement = 100000;
}

template <class Chunk>
bool copy(StoreWriter& to, ByteView payload) {
  const auto chunk = Chunk::decode(payload);
  return chunk && to.append(*chunk);
}

bool copy_order(StoreWriter& to, ByteView payload, const char* how) {
  auto chunk = OrderChunk::decode(payload);
  if (!chunk) return false;
  spoil(*chunk, how);
  if (!to.append(*chunk)) return false;
  if (std::strcmp(how, "circle") != 0) return true;
  // Each edge the other way round as well, in the chunks of the threads they come from.
  for (const OrderRow& row : chunk->rows) {
    OrderChunk back;
    back.thread = row.from_thread;
    back.rows.push_back({row.from_time, row.from_statement, chunk->thread, row.to_time, row.to_statement});
    if (!to.append(back)) return false;
    break;
  }
  return true;
}

bool copy_memory(StoreWriter& to, ByteView payload) {
  auto chunk = SyncChunk::decode(payload);
  if (!chunk) return false;
  chunk->memory = true;
  return to.append(*chunk).has_value();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto from = StoreReader::open(argv[1]);
  auto to = StoreWriter::create(argv[2]);
  if (!from || !to) return 4;
  using format::ChunkKind;
  for (size_t i = 0; i < from->rows().size(); ++i) {
    const auto payload = from->payload(i);
    if (!payload) return 3;
    const ChunkKind kind = from->rows()[i].kind;
    const bool copied = kind == ChunkKind::meta        ? copy<MetaChunk>(*to, *payload)
                        : kind == ChunkKind::process   ? copy<ProcessChunk>(*to, *payload)
                        : kind == ChunkKind::module    ? copy<ModuleChunk>(*to, *payload)
                        : kind == ChunkKind::thread    ? copy<ThreadChunk>(*to, *payload)
                        : kind == ChunkKind::control   ? copy<ControlChunk>(*to, *payload)
                        : kind == ChunkKind::end       ? copy<EndChunk>(*to, *payload)
                        : kind == ChunkKind::addresses ? copy<AddressChunk>(*to, *payload)
                        : kind == ChunkKind::values    ? copy<ValuesChunk>(*to, *payload)
                        : kind == ChunkKind::sync      ? copy<SyncChunk>(*to, *payload)
                        : kind == ChunkKind::memory    ? copy_memory(*to, *payload)
                        : kind == kOrderChunk          ? copy_order(*to, *payload, argv[3])
                                                       : true;
    if (!copied) return 3;
  }
  return to->finish() ? 0 : 4;
}
