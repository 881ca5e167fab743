// The order of conflicting accesses (docs/format.md, "order"): which accesses of other threads come
// before accesses of this one, in the order of those, as they ran.
#pragma once

#include <vector>

#include "store/chunks.h"

namespace vestige {

// A chunk kind since minor 1.
inline constexpr format::ChunkKind kOrderChunk{14};

// In the place of a statement. Of an earlier access: the whole path comes before, with the
// operation that it ends in. Of a later one: the whole path comes behind. Where the accesses were
// those of a path that was left.
inline constexpr uint32_t kWholePath = UINT32_MAX;

// A statement is its number in the function of the path.
struct OrderRow {
  uint64_t to_time = 0;  // of this thread
  uint32_t to_statement = 0;
  uint32_t from_thread = 0;
  uint64_t from_time = 0;
  uint32_t from_statement = 0;
  bool operator==(const OrderRow&) const = default;
};
struct OrderChunk {
  uint32_t thread = 0;
  std::vector<OrderRow> rows;
  Bytes encode() const;
  static Result<OrderChunk> decode(ByteView payload);
  static Result<uint32_t> thread_of(ByteView payload);
};

}  // namespace vestige
