#include "query/wet/wet_edges.h"

#include <algorithm>

#include "query/wet/wet_blocks.h"
#include "trace/windows/wet_segments.h"

namespace vestige {

namespace {

std::unexpected<Error> bad(const Trace& trace, const char* what) {
  return fail(ErrorKind::corrupt, trace.file() + ": " + what);
}

Result<Interleaving> decode_runs(const Trace& trace, ByteView payload) {
  ByteReader in(payload);
  auto runs = take_runs(in, trace.threads().size());
  if (!runs) return bad(trace, "its chunk of runs makes no sense");
  return std::move(*runs);
}

class WetEdges final : public StoredBlocks {
 public:
  explicit WetEdges(std::vector<std::vector<WetSegment>> segments)
      : segments_(std::move(segments)), blocks_(segments_.size()) {}

  Result<std::vector<BlockPlaces>> read(const Trace& trace, const Interleaving& order) {
    std::vector<BlockPlaces> places(segments_.size());
    for (uint32_t thread = 0; thread < segments_.size(); ++thread)
      for (uint32_t s = 0; s < segments_[thread].size(); ++s) {
        const WetSegment& segment = segments_[thread][s];
        if (segment.edges_row == SIZE_MAX)
          return fail(ErrorKind::unsupported, trace.file() + ": it has no edges");
        const auto payload = trace.state().store.payload(segment.edges_row);
        if (!payload) return std::unexpected(payload.error());
        auto edges = decode_node_edges(trace, *payload, false);
        if (!edges) return fail(edges.error().kind, trace.file() + ": " + edges.error().message);
        if (edges->head.first_time != segment.first_time || edges->head.paths != segment.paths)
          return bad(trace, "its edges are those of other paths");
        for (uint32_t b = 0; b < edges->blocks.size(); ++b) {
          BlockPlace& place = places[thread].emplace_back(edges->blocks[b].place);
          place.offset = s;
          place.size = b;
          if (order.order(thread, place.first_time) == 0 ||
              order.order(thread, place.end_time() - 1) == 0)
            return bad(trace, "its chunk of runs lacks paths");
        }
        blocks_[thread].push_back(std::move(edges->blocks));
      }
    return places;
  }

  std::unique_ptr<StoredBlockCursor> cursor(const Trace& trace, const CallNames& names,
                                            uint32_t thread) const override {
    return std::make_unique<WetBlocks>(trace, names, thread, segments_[thread], blocks_[thread]);
  }
  Result<std::vector<uint64_t>> pages(uint32_t thread, const BlockPlace& place) const override {
    return blocks_[thread][place.offset][place.size].pages;
  }

 private:
  const std::vector<std::vector<WetSegment>> segments_;     // by thread
  std::vector<std::vector<std::vector<WetBlock>>> blocks_;  // by thread and segment
};

}  // namespace

Bytes encode_runs(const Interleaving& order, size_t threads) {
  ByteWriter out;
  put_runs(order, threads, out);
  return out.take();
}

Result<DependenceReader> open_wet_edges(const Trace& trace) {
  auto segments = wet_segments(trace.state());
  if (!segments) return std::unexpected(std::move(segments.error()));
  Interleaving order;
  for (const size_t row : trace.state().wet_rows) {
    if (trace.state().store.rows()[row].kind != kRunsChunk) continue;
    const auto payload = trace.state().store.payload(row);
    if (!payload) return std::unexpected(payload.error());
    auto runs = decode_runs(trace, *payload);
    if (!runs) return std::unexpected(std::move(runs.error()));
    order = std::move(*runs);
  }
  auto edges = std::make_shared<WetEdges>(std::move(*segments));
  auto places = edges->read(trace, order);
  if (!places) return std::unexpected(std::move(places.error()));
  return DependenceReader(std::move(order), std::move(*places),
                          std::shared_ptr<const StoredBlocks>(std::move(edges)));
}

}  // namespace vestige
