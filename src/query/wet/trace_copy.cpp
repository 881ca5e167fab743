#include "query/wet/trace_copy.h"

#include <functional>

#include "trace/state.h"

namespace vestige {

namespace {

template <class Chunk>
Result<void> copy(ByteView payload, StoreWriter& writer,
                  const std::function<void(Chunk&)>& change = nullptr) {
  auto chunk = Chunk::decode(payload);
  if (!chunk) return std::unexpected(std::move(chunk.error()));
  if (change) change(*chunk);
  return writer.append(*chunk);
}

template <class Take>
Result<void> each_chunk(const Trace& trace, const Take& take) {
  const StoreReader& store = trace.state().store;
  for (size_t row = 0; row < store.rows().size(); ++row) {
    const auto payload = store.payload(row);
    if (!payload) return std::unexpected(payload.error());
    if (auto taken = take(store.rows()[row].kind, *payload); !taken) return taken;
  }
  return {};
}

}  // namespace

Result<void> copy_described(const Trace& trace, StoreWriter& writer,
                            const std::string& represents) {
  bool first = true;
  return each_chunk(trace, [&](format::ChunkKind kind, ByteView payload) -> Result<void> {
    switch (kind) {
      case format::ChunkKind::meta:
        return copy<MetaChunk>(payload, writer, [&](MetaChunk& meta) {
          if (std::exchange(first, false)) meta.entries.emplace_back("represents", represents);
        });
      case format::ChunkKind::process:
        return copy<ProcessChunk>(payload, writer);
      case format::ChunkKind::module:
        return copy<ModuleChunk>(payload, writer);
      case format::ChunkKind::thread:
        return copy<ThreadChunk>(payload, writer);
      case format::ChunkKind::addresses:
        return copy<AddressChunk>(payload, writer);
      default:
        return {};
    }
  });
}

Result<void> copy_rest(const Trace& trace, StoreWriter& writer) {
  return each_chunk(trace, [&](format::ChunkKind kind, ByteView payload) -> Result<void> {
    switch (kind) {
      case format::ChunkKind::sync:
        return copy<SyncChunk>(payload, writer);
      case format::ChunkKind::end:
        return copy<EndChunk>(payload, writer);
      default:
        return {};
    }
  });
}

}  // namespace vestige
