#include "query/wet/node_values.h"

#include <algorithm>

#include "base/squeeze.h"
#include "query/wet/value_field.h"

namespace vestige {

namespace {

std::unexpected<Error> bad() {
  return fail(ErrorKind::corrupt, "node values: the chunk makes no sense");
}

}  // namespace

Bytes encode_node_values(const WetChunkHead& head, const std::vector<NodeValuesBytes>& nodes) {
  ByteWriter layout, out;
  head.encode(out);
  layout.varint(nodes.size());
  uint32_t path = 0;
  for (const NodeValuesBytes& node : nodes) {
    layout.varint(node.path - std::exchange(path, node.path));
    layout.varint(node.executions);
    layout.varint(node.bytes.size());
    layout.varint(node.groups->size());
    for (const GroupColumns& group : *node.groups) {
      layout.varint(group.size());
      int64_t before = 0;
      for (const ValueColumn& column : group) {
        layout.svarint(column.statement - std::exchange(before, column.statement));
        layout.varint(column.field);
      }
    }
  }
  const Bytes squeezed = squeeze(layout.take());
  out.varint(squeezed.size());
  out.bytes(squeezed);
  for (const NodeValuesBytes& node : nodes) out.bytes(node.bytes);
  return out.take();
}

Result<SegmentValues> decode_node_values(ByteView payload) {
  ByteReader in(payload);
  SegmentValues values;
  values.head = WetChunkHead::read(in);
  const ByteView squeezed = in.bytes(in.varint());
  if (in.failed()) return bad();
  const auto raw = unsqueeze(squeezed, "node values");
  if (!raw) return std::unexpected(raw.error());
  ByteReader layout(*raw);
  values.nodes.resize(layout.count(4));
  uint64_t path = 0, executions = 0;
  for (NodeValues& node : values.nodes) {
    path += layout.varint();
    const bool rises = &node == values.nodes.data() || path > (&node - 1)->path;
    node.path = static_cast<uint32_t>(path);
    node.executions = layout.varint();
    node.bytes = in.bytes(layout.varint());
    node.groups.resize(layout.count(1));
    if (path > UINT32_MAX || !rises || node.executions == 0 ||
        node.executions > values.head.paths - executions)
      return bad();
    executions += node.executions;
    for (GroupColumns& group : node.groups) {
      group.resize(layout.count(2));
      int64_t statement = 0;
      for (ValueColumn& column : group) {
        statement += layout.svarint();
        const uint64_t field = layout.varint();
        if (statement < 0 || statement > UINT32_MAX || field >= kMostFields) return bad();
        column = {static_cast<uint32_t>(statement), static_cast<uint32_t>(field)};
      }
      if (group.empty()) return bad();
    }
  }
  if (layout.failed() || layout.remaining() != 0 || in.failed() || in.remaining() != 0)
    return bad();
  return values;
}

const NodeValues* SegmentValues::of(uint32_t path) const {
  const auto found = std::ranges::lower_bound(nodes, path, {}, &NodeValues::path);
  return found == nodes.end() || found->path != path ? nullptr : &*found;
}

}  // namespace vestige
