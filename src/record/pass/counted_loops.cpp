#include "counted_loops.h"

#include <algorithm>

namespace vestige {

namespace {

constexpr size_t kMostSegments = 64;  // in a loop

bool only_branches(const Segment& segment, bool is_header) {
  return segment.end == SegmentEnd::branch &&
         segment.start == (is_header ? SegmentStart::block : SegmentStart::none);
}

}  // namespace

CountedLoops::CountedLoops(const Layout& layout)
    : sources_(layout.segments.size()), loop_of_(layout.segments.size(), kOutside) {
  const auto& segments = layout.segments;
  std::vector<bool> jumped_to(segments.size());  // no code can go on the edges that lead there
  for (uint32_t s = 0; s < segments.size(); ++s)
    for (const SegmentEdge& edge : segments[s].edges) {
      if (segments[s].end == SegmentEnd::indirect) jumped_to[edge.target] = true;
      if (!edge.cut) sources_[edge.target].push_back(s);
    }
  for (uint32_t s = 0; s < segments.size(); ++s) {
    if (segments[s].end != SegmentEnd::branch) continue;
    for (const SegmentEdge& edge : segments[s].edges) {
      if (!edge.cut || jumped_to[edge.target]) continue;
      const auto loop = examine(layout, s, edge.target);
      if (!loop) continue;
      for (const uint32_t member : members_)
        loop_of_[member] = static_cast<uint32_t>(loops_.size());
      loops_.push_back(*loop);
    }
  }
}

// Goes back from the latch along uncut edges until only the header is left to come from. Then there
// must be one way forward only.
std::optional<CountedLoop> CountedLoops::examine(const Layout& layout, uint32_t latch,
                                                 uint32_t header) {
  const auto& segments = layout.segments;
  members_ = {latch};
  for (size_t i = 0; i < members_.size(); ++i) {
    const uint32_t s = members_[i];
    if (!only_branches(segments[s], s == header) || loop_of_[s] != kOutside) return {};
    if (s == header) continue;
    for (const uint32_t from : sources_[s])
      if (std::ranges::find(members_, from) == members_.end()) members_.push_back(from);
    if (members_.size() > kMostSegments) return {};
  }
  CountedLoop loop{header, latch, layout.numbering.start_offset[header]};
  uint32_t s = header;
  for (size_t steps = 0; steps < members_.size(); ++steps) {
    uint32_t next = kOutside;
    for (uint32_t e = 0; e < segments[s].edges.size(); ++e) {
      const uint32_t target = segments[s].edges[e].target;
      if (std::ranges::find(members_, target) == members_.end()) continue;
      if (next != kOutside || segments[s].edges[e].cut != (s == latch && target == header))
        return {};
      next = target;
      loop.path += layout.numbering.increment[s][e];
    }
    if (next == kOutside) return {};
    s = next;
    if (s == header) return steps + 1 == members_.size() ? std::optional(loop) : std::nullopt;
  }
  return {};
}

const CountedLoop* CountedLoops::goes_round(uint32_t from, uint32_t to) const {
  const uint32_t loop = loop_of_[from];
  if (loop == kOutside || loops_[loop].latch != from || loops_[loop].header != to) return nullptr;
  return &loops_[loop];
}

bool CountedLoops::enters(uint32_t from, uint32_t to) const {
  return loop_of_[to] != kOutside && loop_of_[from] != loop_of_[to];
}

bool CountedLoops::leaves(uint32_t from, uint32_t to) const {
  return loop_of_[from] != kOutside && loop_of_[from] != loop_of_[to];
}

}  // namespace vestige
