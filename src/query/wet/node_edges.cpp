#include "query/wet/node_edges.h"

#include <algorithm>

#include "base/squeeze.h"

namespace vestige {

namespace {

std::unexpected<Error> bad() {
  return fail(ErrorKind::corrupt, "node edges: the chunk makes no sense");
}

void put_frame(const PathSteps::Frame& frame, uint64_t now, ByteWriter& out) {
  out.varint(frame.last ? frame.last->id : 0);
  out.varint(now - frame.time);
  out.varint(frame.root == kNone ? 0 : uint64_t{frame.root} + 1);
}

bool get_frame(const Trace& trace, uint64_t now, ByteReader& in, PathSteps::Frame& frame) {
  const uint64_t id = in.varint(), back = in.varint(), root = in.varint();
  if (in.failed() || id > UINT32_MAX || back > now || root > trace.functions().size()) return false;
  frame.last = id == 0 ? nullptr : trace.path(static_cast<uint32_t>(id));
  if (id != 0 && !frame.last) return false;
  frame.time = now - back;
  frame.root = root == 0 ? kNone : static_cast<uint32_t>(root - 1);
  return true;
}

void put_block(const WetBlock& block, ByteWriter& out) {
  const uint64_t now = block.place.end_time();
  out.varint(block.place.paths);
  out.varint(block.place.level);
  out.varint(block.place.level - block.place.lowest);
  out.varint(block.pages.size());
  uint64_t page = Label::kEndOfTime >> kTimePageBits;
  for (const uint64_t p : block.pages) out.varint(std::exchange(page, p) - p);
  out.varint(block.position.base);
  out.varint(block.position.stack.size());
  for (const PathSteps::Frame& frame : block.position.stack) put_frame(frame, now, out);
  put_frame({block.position.last, block.position.time, block.position.last_root}, now, out);
  out.varint(block.position.last_level);
  out.varint(block.changes.size());
  uint64_t before = block.place.first_time - 1;
  for (const PathSteps::Change& change : block.changes) {
    out.varint(change.time - std::exchange(before, change.time));
    out.varint(change.keep);
    out.varint(change.pushed);
  }
}

bool get_block(const Trace& trace, uint64_t first_time, ByteReader& in, WetBlock& block) {
  block.place.first_time = first_time;
  block.place.paths = in.varint();
  const uint64_t level = in.varint(), above = in.varint();
  if (in.failed() || block.place.paths == 0 || block.place.paths > kBlockPaths ||
      level > UINT32_MAX / 2 || above > level)
    return false;
  block.place.level = static_cast<uint32_t>(level);
  block.place.lowest = static_cast<uint32_t>(level - above);
  block.pages.resize(in.count(1));
  uint64_t page = Label::kEndOfTime >> kTimePageBits;
  for (uint64_t& p : block.pages) {
    const uint64_t back = in.varint();
    if (back > page) return false;
    p = page -= back;
  }
  const uint64_t now = block.place.end_time();
  const uint64_t base = in.varint();
  block.position.stack.resize(in.count(3));
  for (PathSteps::Frame& frame : block.position.stack)
    if (!get_frame(trace, now, in, frame)) return false;
  PathSteps::Frame last;
  if (base > UINT32_MAX / 2 || !get_frame(trace, now, in, last)) return false;
  block.position.base = static_cast<uint32_t>(base);
  block.position.time = last.time;
  block.position.last = last.last;
  block.position.last_root = last.root;
  block.position.last_level = in.varint32();
  block.changes.resize(in.count(3));
  uint64_t before = first_time - 1, pushed = 0;
  for (PathSteps::Change& change : block.changes) {
    change.time = before += in.varint();
    change.keep = in.varint();
    change.pushed = in.varint();
    if (change.pushed > PathSteps::kMostPushed ||
        (pushed += change.pushed) > PathSteps::kMostPushed)
      return false;
  }
  return !in.failed();
}

// A stream: 0: there is none; otherwise its size, and it lies behind the streams before.
bool get_stream(ByteReader& index, ByteReader& streams, std::optional<SelectedStream>& stream) {
  const uint64_t size = index.varint();
  if (size == 0) return !index.failed();
  ByteReader in(streams.bytes(size));
  auto read = read_selected(in);
  if (!read || in.remaining() != 0) return false;
  stream = *read;
  return true;
}

bool get_node(ByteReader& index, ByteReader& streams, NodeEdges& node) {
  node.pairs.resize(index.count(4));
  for (EdgePairs& pairs : node.pairs) {
    pairs.producer = index.varint32();
    if (!get_stream(index, streams, pairs.consumers) ||
        !get_stream(index, streams, pairs.producers))
      return false;
    pairs.uses.resize(index.count(2));
    for (EdgePairs::Use& use : pairs.uses) {
      use.label = index.varint32();
      use.item = index.varint32();
      if (use.item >= Label::kMostItems) return false;
    }
  }
  if (index.u8() == 0) return !index.failed();
  for (size_t i = 0; i < kReadColumns; ++i) {
    std::optional<SelectedStream> stream;
    if (!get_stream(index, streams, stream) || !stream) return false;
    node.columns.push_back(*stream);
  }
  return !index.failed();
}

}  // namespace

Bytes encode_node_edges(const WetChunkHead& head, const std::vector<WetBlock>& blocks,
                        std::vector<NodeEdgesBytes>& nodes) {
  ByteWriter out, raw;
  head.encode(out);
  raw.varint(blocks.size());
  for (const WetBlock& block : blocks) put_block(block, raw);
  const auto put_squeezed = [&] {
    const Bytes squeezed = squeeze(raw.take());
    raw = {};
    out.varint(squeezed.size());
    out.bytes(squeezed);
  };
  put_squeezed();
  raw.varint(nodes.size());
  uint32_t path = 0;
  for (NodeEdgesBytes& node : nodes) {
    raw.varint(node.path - std::exchange(path, node.path));
    raw.varint(node.executions);
    raw.bytes(node.index.buffer());
  }
  put_squeezed();
  for (NodeEdgesBytes& node : nodes) out.bytes(node.streams.buffer());
  return out.take();
}

Result<SegmentEdges> decode_node_edges(const Trace& trace, ByteView payload, bool nodes) {
  ByteReader in(payload);
  SegmentEdges edges;
  edges.head = WetChunkHead::read(in);
  const ByteView of_blocks = in.bytes(in.varint());
  if (in.failed()) return bad();
  auto raw = unsqueeze(of_blocks, "blocks of node edges");
  if (!raw) return std::unexpected(std::move(raw.error()));
  ByteReader index(*raw);
  edges.blocks.resize(index.count(8));
  uint64_t time = edges.head.first_time;
  for (WetBlock& block : edges.blocks) {
    if (!get_block(trace, time, index, block)) return bad();
    time = block.place.end_time();
  }
  if (index.failed() || index.remaining() != 0 || time != edges.head.first_time + edges.head.paths)
    return bad();
  if (!nodes) return edges;
  const ByteView of_nodes = in.bytes(in.varint());
  if (in.failed()) return bad();
  raw = unsqueeze(of_nodes, "index of node edges");
  if (!raw) return std::unexpected(std::move(raw.error()));
  index = ByteReader(*raw);
  edges.nodes.resize(index.count(4));
  uint64_t path = 0;
  for (NodeEdges& node : edges.nodes) {
    path += index.varint();
    node.executions = index.varint();
    const bool rises = &node == edges.nodes.data() || path > (&node - 1)->path;
    if (path > UINT32_MAX || !rises || !get_node(index, in, node)) return bad();
    node.path = static_cast<uint32_t>(path);
  }
  if (index.failed() || index.remaining() != 0 || in.failed() || in.remaining() != 0) return bad();
  return edges;
}

}  // namespace vestige
