// The values of the nodes of a segment, as a chunk (docs/format.md, "node values"): for each node
// its groups, and which column of a group holds which field of which statement.
#pragma once

#include <vector>

#include "codec/groups/group_bytes.h"
#include "store/wet_chunk.h"

namespace vestige {

struct ValueColumn {
  uint32_t statement = 0;  // of the node's function
  uint32_t field = 0;      // ValueField
};
// Behind the columns of a group stand those that say of 64 of them at a time, a bit each, which are
// known.
using GroupColumns = std::vector<ValueColumn>;
constexpr size_t mask_columns(size_t columns) { return (columns + 63) / 64; }

struct NodeValues {
  uint32_t path = 0;  // id
  uint64_t executions = 0;
  std::vector<GroupColumns> groups;
  ByteView bytes;  // the groups, one behind the other (codec/groups/group_bytes.h)
};

// What is written of a node.
struct NodeValuesBytes {
  uint32_t path = 0;
  uint64_t executions = 0;
  const std::vector<GroupColumns>* groups = nullptr;
  Bytes bytes;
};
// By rising path id.
Bytes encode_node_values(const WetChunkHead& head, const std::vector<NodeValuesBytes>& nodes);

struct SegmentValues {
  WetChunkHead head;
  std::vector<NodeValues> nodes;  // by rising path id
  const NodeValues* of(uint32_t path) const;
};
// The payload must outlive it.
Result<SegmentValues> decode_node_values(ByteView payload);

}  // namespace vestige
