#include "program/numbering.h"

#include <algorithm>

#include "program/path_count.h"

namespace vestige {

namespace {

bool goes_on(const Segment& segment, const SegmentEdge& edge) {
  return segment.end == SegmentEnd::branch && !edge.cut;
}

// Visits segments depth first along edges that go on, from the entry, then from the other starts,
// then from whatever is left. Calls closes_cycle(segment, edge) for an edge into a segment still
// open; gives the segments in the order they are left, so every target before its sources.
template <class OnCycle>
std::vector<uint32_t> depth_first(const std::vector<Segment>& segments, OnCycle closes_cycle) {
  std::vector<uint32_t> order;
  order.reserve(segments.size());
  enum : uint8_t { unseen, open, done };
  std::vector<uint8_t> state(segments.size(), unseen);
  std::vector<std::pair<uint32_t, uint32_t>> stack;  // segment, next edge
  const auto visit = [&](uint32_t root) {
    if (state[root] != unseen) return;
    stack.emplace_back(root, 0);
    state[root] = open;
    while (!stack.empty()) {
      auto& [at, next] = stack.back();
      const Segment& segment = segments[at];
      if (next == segment.edges.size()) {
        state[at] = done;
        order.push_back(at);
        stack.pop_back();
        continue;
      }
      const uint32_t edge = next++;
      const uint32_t target = segment.edges[edge].target;
      if (!goes_on(segment, segment.edges[edge]) || state[target] == done) continue;
      if (state[target] == open) {
        closes_cycle(at, edge);
        continue;
      }
      state[target] = open;
      stack.emplace_back(target, 0);
    }
  };
  for (uint32_t s = 0; s < segments.size(); ++s)
    if (segments[s].start != SegmentStart::none) visit(s);
  for (uint32_t s = 0; s < segments.size(); ++s) visit(s);
  return order;
}

void cut(std::vector<Segment>& segments, SegmentEdge& edge) {
  edge.cut = true;
  Segment& target = segments[edge.target];
  if (target.start == SegmentStart::none) target.start = SegmentStart::block;
}

uint64_t paths_along(const std::vector<Segment>& segments, const std::vector<uint64_t>& from,
                     uint32_t segment, const SegmentEdge& edge) {
  return goes_on(segments[segment], edge) ? from[edge.target] : 1;
}

// From each segment. Calls on_edge(segment, paths along the edges before this one) for all edges
// that paths go on by, in order.
template <class OnEdge>
Result<std::vector<uint64_t>> paths_from_each(const std::vector<Segment>& segments,
                                              OnEdge on_edge) {
  for (const Segment& segment : segments) {
    if (segment.end == SegmentEnd::branch && segment.edges.empty())
      return fail(ErrorKind::corrupt, "a segment branches nowhere");
    for (const SegmentEdge& edge : segment.edges)
      if (edge.target >= segments.size())
        return fail(ErrorKind::corrupt, "a segment edge leads outside the function");
  }
  bool cyclic = false;
  const std::vector<uint32_t> order =
      depth_first(segments, [&](uint32_t, uint32_t) { cyclic = true; });
  if (cyclic) return fail(ErrorKind::corrupt, "the path graph has a cycle");

  std::vector<uint64_t> from(segments.size(), 1);
  for (const uint32_t s : order) {
    if (segments[s].end != SegmentEnd::branch) continue;
    uint64_t sum = 0;
    for (const SegmentEdge& edge : segments[s].edges) {
      on_edge(s, sum);
      sum += paths_along(segments, from, s, edge);
      if (sum > kMaxPaths) return fail(ErrorKind::corrupt, "a function has too many paths");
    }
    from[s] = sum;
  }
  return from;
}

}  // namespace

Result<uint64_t> count_paths(const std::vector<Segment>& segments) {
  const auto from = paths_from_each(segments, [](uint32_t, uint64_t) {});
  if (!from) return std::unexpected(from.error());
  uint64_t count = 0;
  for (uint32_t s = 0; s < segments.size(); ++s) {
    if (segments[s].start != SegmentStart::none) count += (*from)[s];
    if (count > kMaxPaths) return fail(ErrorKind::corrupt, "a function has too many paths");
  }
  return count;
}

Result<Numbering> number_paths(const std::vector<Segment>& segments) {
  Numbering n;
  n.increment.resize(segments.size());
  auto from = paths_from_each(
      segments, [&](uint32_t s, uint64_t before) { n.increment[s].push_back(before); });
  if (!from) return std::unexpected(std::move(from.error()));
  n.paths_from = std::move(*from);
  n.start_offset.assign(segments.size(), 0);
  for (uint32_t s = 0; s < segments.size(); ++s) {
    if (segments[s].start == SegmentStart::none) continue;
    n.starts.push_back(s);
    n.start_offset[s] = n.path_count;
    n.path_count += n.paths_from[s];
    if (n.path_count > kMaxPaths) return fail(ErrorKind::corrupt, "a function has too many paths");
  }
  return n;
}

uint32_t cut_cycles(std::vector<Segment>& segments) {
  std::vector<std::pair<uint32_t, uint32_t>> closing;
  depth_first(segments, [&](uint32_t s, uint32_t edge) { closing.emplace_back(s, edge); });
  for (const auto& [s, edge] : closing) cut(segments, segments[s].edges[edge]);
  return static_cast<uint32_t>(closing.size());
}

uint32_t limit_paths(std::vector<Segment>& segments, uint64_t limit) {
  uint32_t cuts = 0;
  std::vector<uint64_t> from(segments.size(), 1);
  for (const uint32_t s : depth_first(segments, [](uint32_t, uint32_t) {})) {
    Segment& segment = segments[s];
    if (segment.end != SegmentEnd::branch) continue;
    while (true) {
      uint64_t sum = 0;
      SegmentEdge* widest = nullptr;
      for (SegmentEdge& edge : segment.edges) {
        const uint64_t along = paths_along(segments, from, s, edge);
        sum += along;
        if (along > 1 && (!widest || along > from[widest->target])) widest = &edge;
      }
      from[s] = sum;
      if (sum <= limit || !widest) break;
      cut(segments, *widest);
      ++cuts;
    }
  }
  return cuts;
}

namespace {

// Follows a path from its start, calling visit(segment) at each; gives the cut edge it leaves by.
template <class Visit>
uint32_t follow(const std::vector<Segment>& segments, const Numbering& numbering, uint64_t path,
                Visit visit) {
  const auto above =
      std::upper_bound(numbering.starts.begin(), numbering.starts.end(), path,
                       [&](uint64_t p, uint32_t s) { return p < numbering.start_offset[s]; });
  uint32_t at = *(above - 1);
  uint64_t rest = path - numbering.start_offset[at];
  while (true) {
    visit(at);
    const Segment& segment = segments[at];
    if (segment.end != SegmentEnd::branch) return kNone;
    const auto& increments = numbering.increment[at];
    const auto edge = static_cast<uint32_t>(
        std::upper_bound(increments.begin(), increments.end(), rest) - increments.begin() - 1);
    rest -= increments[edge];
    if (segment.edges[edge].cut) return edge;
    at = segment.edges[edge].target;
  }
}

}  // namespace

DecodedPath decode_path(const std::vector<Segment>& segments, const Numbering& numbering,
                        uint64_t path) {
  DecodedPath decoded;
  decoded.last_edge = follow(segments, numbering, path,
                             [&](uint32_t segment) { decoded.segments.push_back(segment); });
  return decoded;
}

PathEnds path_ends(const std::vector<Segment>& segments, const Numbering& numbering,
                   uint64_t path) {
  PathEnds ends{kNone, kNone};
  follow(segments, numbering, path, [&](uint32_t segment) {
    if (ends.first == kNone) ends.first = segment;
    ends.last = segment;
  });
  return ends;
}

}  // namespace vestige
