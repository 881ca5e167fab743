// The chunks of a stored whole execution trace (docs/format.md, "node values", "node edges" and
// "runs"): what they have in common. What is behind the head is their readers' business
// (src/query/wet).
#pragma once

#include "store/chunks.h"

namespace vestige {

// Chunk kinds since minor 1.
inline constexpr format::ChunkKind kNodeValuesChunk{17};
inline constexpr format::ChunkKind kNodeEdgesChunk{18};
inline constexpr format::ChunkKind kRunsChunk{19};
constexpr bool is_wet_chunk(format::ChunkKind kind) {
  return kind >= kNodeValuesChunk && kind <= kRunsChunk;
}

// A segment: the paths of one control chunk.
struct WetChunkHead {
  uint32_t thread = 0;
  uint64_t first_time = 1, paths = 0;
  void encode(ByteWriter& out) const {
    out.varint(thread);
    out.varint(first_time);
    out.varint(paths);
  }
  static WetChunkHead read(ByteReader& in) {
    WetChunkHead head;
    head.thread = in.varint32();
    head.first_time = in.varint();
    head.paths = in.varint();
    return head;
  }
  static Result<WetChunkHead> decode(ByteView payload) {
    ByteReader in(payload);
    const WetChunkHead head = read(in);
    if (in.failed()) return fail(ErrorKind::corrupt, "its payload is malformed");
    return head;
  }
};

}  // namespace vestige
