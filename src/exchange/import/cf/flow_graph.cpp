#include "exchange/import/cf/flow_graph.h"

#include <algorithm>
#include <numeric>

#include "program/numbering.h"
#include "program/record.h"

namespace vestige::cf {

namespace {

constexpr uint32_t kFirstId = 0x10000, kLastId = 0xefffffff;  // docs/format.md
// Paths from one start. More make traces smaller by little and their tables larger.
constexpr uint64_t kPathsPerStart = 1024;

}  // namespace

struct FlowGraph::Draft {
  Function function;
  std::vector<uint32_t> nodes;               // per segment
  std::vector<std::vector<uint32_t>> edges;  // per segment: edges_ behind its edges; none for calls
  Numbering numbering;
  uint32_t first_path = 0;
};

bool FlowGraph::mark(uint32_t node, uint8_t marks) {
  if (node >= marks_.size()) marks_.resize(size_t{node} + kNodeKinds);
  marks_[node] |= marks;
  return true;
}

bool FlowGraph::start(uint32_t node) { return mark(node, kDrawn | kStarts); }

bool FlowGraph::follow(uint32_t from, uint32_t to) {
  const auto next = static_cast<uint32_t>(edges_.size());
  if (number_of_.at(pair_key(from, to), next) != next) return true;
  if (next == kMostEdges) {
    error_ = "there are more than " + std::to_string(kMostEdges) + " different branches";
    return false;
  }
  edges_.push_back({.from = from, .to = to});
  return mark(to, kDrawn);
}

// The function as the events showed it: a segment per node, nothing cut yet.
FlowGraph::Draft FlowGraph::draft(uint32_t f, std::span<const uint32_t> by_from) const {
  const Places::FunctionPlaces& known = places_.functions()[f];
  Draft d;
  Function& function = d.function;
  function.name = function_name(places_, f);
  function.blocks.resize(std::max<size_t>(1, known.places.size() + (known.nowhere != kNone)));

  // Few nodes, and all of one function: places in between belong to others.
  std::vector<std::pair<uint32_t, uint32_t>> segment_of;  // node, segment
  const auto add = [&](uint32_t place, uint32_t block) {
    for (uint32_t k = 0; k <= static_cast<uint32_t>(NodeKind::stop); ++k) {
      const auto kind = static_cast<NodeKind>(k);
      const uint32_t node = node_of(place, kind);
      if (!has(node, kDrawn)) continue;
      Segment segment;
      segment.block = block;
      switch (kind) {
        case NodeKind::entry:
          segment.start = SegmentStart::entry;
          break;
        case NodeKind::begin:
          segment.start = has(node, kStarts) ? SegmentStart::block : SegmentStart::none;
          break;
        default:
          segment.start = SegmentStart::resume;
      }
      segment.end = kind == NodeKind::call    ? SegmentEnd::call
                    : kind == NodeKind::leave ? SegmentEnd::ret
                    : kind == NodeKind::stop  ? SegmentEnd::stop
                                              : SegmentEnd::branch;
      segment_of.emplace_back(node, static_cast<uint32_t>(function.segments.size()));
      function.segments.push_back(std::move(segment));
      d.nodes.push_back(node);
    }
  };
  for (uint32_t block = 0; block < known.places.size(); ++block)
    if (known.places[block] != kNone) add(known.places[block], block);
  if (known.nowhere != kNone) add(known.nowhere, static_cast<uint32_t>(known.places.size()));

  std::ranges::sort(segment_of);
  const auto segment_at = [&](uint32_t node) {
    return std::ranges::lower_bound(segment_of, node, {}, &std::pair<uint32_t, uint32_t>::first)
        ->second;
  };
  d.edges.resize(d.nodes.size());
  for (uint32_t s = 0; s < d.nodes.size(); ++s) {
    const uint32_t node = d.nodes[s], place = place_of(node);
    Segment& segment = function.segments[s];
    if (kind_of(node) == NodeKind::call) {
      for (const NodeKind next : {NodeKind::call, NodeKind::leave, NodeKind::branch})
        if (has(node_of(place, next), kStarts))
          segment.edges.push_back({segment_at(node_of(place, next)), false});
      continue;
    }
    auto& successors = function.blocks[segment.block].successors;
    for (const uint32_t e :
         std::ranges::equal_range(by_from, node, {}, [&](uint32_t i) { return edges_[i].from; })) {
      segment.edges.push_back({segment_at(edges_[e].to), false});
      d.edges[s].push_back(e);
      if (kind_of(edges_[e].to) == NodeKind::begin)
        successors.push_back(function.segments[segment.edges.back().target].block);
    }
  }
  for (Block& block : function.blocks) {
    std::ranges::sort(block.successors);
    block.successors.cut(std::ranges::unique(block.successors).begin());
  }
  return d;
}

Result<uint64_t> FlowGraph::number(Draft& d, uint64_t limit) const {
  for (Segment& segment : d.function.segments)
    for (SegmentEdge& edge : segment.edges) edge.cut = false;
  cut_cycles(d.function.segments);
  limit_paths(d.function.segments, limit);
  auto numbering = number_paths(d.function.segments);
  if (!numbering) return std::unexpected(numbering.error());
  d.numbering = std::move(*numbering);
  d.function.path_count = d.numbering.path_count;
  return d.numbering.path_count;
}

void FlowGraph::keep(const Draft& d) {
  for (uint32_t s = 0; s < d.nodes.size(); ++s) {
    if (d.function.segments[s].start != SegmentStart::none)
      first_path_[d.nodes[s]] = static_cast<uint32_t>(d.first_path + d.numbering.start_offset[s]);
    for (size_t e = 0; e < d.edges[s].size(); ++e) {
      Edge& edge = edges_[d.edges[s][e]];
      edge.increment = static_cast<uint32_t>(d.numbering.increment[s][e]);
      edge.cut = d.function.segments[s].edges[e].cut;
    }
  }
}

Result<ModuleChunk> FlowGraph::build(const std::string& name) {
  std::vector<uint32_t> order;
  for (uint32_t f = 0; f < places_.functions().size(); ++f) {
    const Places::FunctionPlaces& known = places_.functions()[f];
    if (!known.places.empty() || known.nowhere != kNone) order.push_back(f);
  }
  // By id, and what is not known last.
  std::ranges::sort(order, {}, [&](uint32_t f) {
    return std::pair(f == Places::kUnknown, places_.functions()[f].id);
  });

  std::vector<uint32_t> by_from(edges_.size());
  std::iota(by_from.begin(), by_from.end(), 0);
  std::ranges::sort(by_from, {}, [&](uint32_t e) { return std::pair(edges_[e].from, e); });
  first_path_.assign(size_t{places_.count()} * kNodeKinds, kNone);

  ModuleChunk module;
  module.name = name;
  module.first_path = kFirstId;
  uint64_t next = kFirstId;
  for (const uint32_t f : order) {
    Draft d = draft(f, by_from);
    auto count = number(d, kPathsPerStart);
    if (!count) return std::unexpected(count.error());
    d.first_path = static_cast<uint32_t>(next);
    if (*count > kLastId - next)
      return fail(ErrorKind::unsupported, "the program has more paths than there are path ids");
    keep(d);
    module.functions.push_back({d.first_path, encode_function(d.function)});
    next += *count;
  }
  module.path_count = static_cast<uint32_t>(next - kFirstId);
  return module;
}

}  // namespace vestige::cf
