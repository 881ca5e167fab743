#include "trace/windows/wet_segments.h"

#include "store/wet_chunk.h"

namespace vestige {

Result<std::vector<std::vector<WetSegment>>> wet_segments(const Trace::State& state) {
  std::vector<std::vector<WetSegment>> all(state.threads.size());
  const auto bad = [&](size_t row) {
    return fail(ErrorKind::corrupt, state.file + ": chunk at byte " +
                                        std::to_string(state.store.rows()[row].offset) +
                                        ": it belongs to no stretch of a thread's paths");
  };
  for (const bool edges : {false, true})
    for (const size_t row : state.wet_rows) {
      const format::ChunkKind kind = state.store.rows()[row].kind;
      if (kind != (edges ? kNodeEdgesChunk : kNodeValuesChunk)) continue;
      const auto payload = state.store.payload(row);
      if (!payload) return std::unexpected(payload.error());
      const auto head = WetChunkHead::decode(*payload);
      if (!head || head->thread >= all.size()) return bad(row);
      const auto& chunks = state.chunks[head->thread];
      const size_t control = state.chunk_at(head->thread, head->first_time);
      if (control >= chunks.size() || chunks[control].first_time != head->first_time ||
          chunks[control].path_count != head->paths)
        return bad(row);
      std::vector<WetSegment>& list = all[head->thread];
      if (!edges) {
        if (!list.empty() && list.back().first_time >= head->first_time) return bad(row);
        list.push_back({head->first_time, head->paths, control, row, SIZE_MAX});
        continue;
      }
      const auto of = std::ranges::find(list, head->first_time, &WetSegment::first_time);
      if (of == list.end() || of->edges_row != SIZE_MAX) return bad(row);
      of->edges_row = row;
    }
  return all;
}

}  // namespace vestige
