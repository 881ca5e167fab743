#include "query/wet/wet_nodes.h"

#include <algorithm>

#include "query/wet/value_field.h"
#include "trace/parallel.h"

namespace vestige {

uint32_t WetNodes::node_of(const Path& path, const PathShape& shape) {
  const auto [at, added] = numbers_.try_emplace(path.id, static_cast<uint32_t>(nodes_.size()));
  if (!added) return at->second;
  std::unique_ptr<FunctionExports>& exports = exports_[path.function];
  if (!exports)
    exports = std::make_unique<FunctionExports>(exports_of(trace_.functions()[path.function]));
  const NodeShape of = node_shape(trace_, path, shape, *exports, true);
  WetNode& node = nodes_.emplace_back();
  node.path = &path;
  for (const uint32_t columns : of.group_columns) {
    node.columns.emplace_back(columns);
    node.groups.emplace_back(columns + mask_columns(columns));
    node.rows.emplace_back(columns + mask_columns(columns));
  }
  group_count_ += node.groups.size();
  for (const NodeShape::Value& value : of.values) {
    node.columns[value.group][value.column] = {value.statement, value.field};
    if (node.kept.empty() || node.kept.back().statement != value.statement)
      node.kept.push_back({value.statement, {}});
    node.kept.back().fields.push_back({value.field, value.group, value.column});
  }
  return at->second;
}

namespace {

// Nothing: it is not known.
std::optional<uint64_t> field_of(const Observation& row, uint32_t field) {
  switch (field) {
    case kFieldValue:
      return row.has_value ? std::optional(row.value) : std::nullopt;
    case kFieldAddress:
      return row.has_address ? std::optional(row.address) : std::nullopt;
    case kFieldSource:
      return row.has_source ? std::optional(row.source) : std::nullopt;
    case kFieldLength:
      return row.has_length ? std::optional(row.length) : std::nullopt;
    case kFieldFill:
      return row.has_fill ? std::optional<uint64_t>(row.fill) : std::nullopt;
    case kFieldWide:
      return row.wide ? std::optional<uint64_t>(0) : std::nullopt;
    default:
      if (!row.wide || field - kFieldPart >= row.wide->parts.size()) return std::nullopt;
      return row.wide->parts[field - kFieldPart];
  }
}

}  // namespace

size_t WetNodes::add_values(WetNode& node, std::span<const Observation> rows) {
  for (std::vector<uint64_t>& row : node.rows) std::ranges::fill(row, 0);
  size_t at = 0;
  for (const WetNode::Kept& kept : node.kept) {
    while (at < rows.size() && rows[at].statement != kept.statement) ++at;
    if (at == rows.size()) break;
    for (const WetNode::Field& field : kept.fields) {
      const auto value = field_of(rows[at], field.field);
      if (!value) continue;
      std::vector<uint64_t>& row = node.rows[field.group];
      row[field.column] = *value;
      row[node.columns[field.group].size() + field.column / 64] |= uint64_t{1}
                                                                   << (field.column % 64);
    }
    ++at;
  }
  size_t more = 0;
  for (size_t g = 0; g < node.groups.size(); ++g) {
    const size_t before = node.groups[g].bytes();
    node.groups[g].append(node.rows[g]);
    more += node.groups[g].bytes() - before;
  }
  return more;
}

Bytes WetNodes::finish_values(const WetChunkHead& head) {
  std::vector<WetNode*> order;
  for (WetNode& node : nodes_)
    if (node.executions > 0) order.push_back(&node);
  std::ranges::sort(order, {}, [](const WetNode* node) { return node->path->id; });
  std::vector<NodeValuesBytes> out(order.size());
  run_parallel(order.size(), [&](size_t, size_t i) {
    WetNode& node = *order[i];
    ByteWriter bytes;
    for (ValueGroupEncoder& group : node.groups) {
      write_group(group, bytes);
      group.clear();
    }
    out[i] = {node.path->id, node.executions, &node.columns, bytes.take()};
    return true;
  });
  return encode_node_values(head, out);
}

}  // namespace vestige
