#include "query/represent/sync_index.h"

#include "trace/state.h"

namespace vestige {

std::optional<SyncIndexChunk> sync_index(const Trace& trace, uint32_t thread) {
  for (const size_t row : trace.state().index_rows) {
    const auto payload = trace.state().store.payload(row);
    if (!payload) continue;
    ByteReader in(*payload);
    if (in.varint32() != thread || in.failed()) continue;
    auto index = SyncIndexChunk::decode(*payload);
    if (index && index->chunks.size() == trace.state().chunks[thread].size())
      return std::move(*index);
  }
  return std::nullopt;
}

}  // namespace vestige
