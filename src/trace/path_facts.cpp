#include "trace/path_facts.h"

namespace vestige {

// Depth first with an explicit stack; the record's decoder has refused graphs with cycles.
const std::vector<uint64_t>& PathFactTable::count_paths(uint32_t index) {
  std::vector<uint64_t>& counts = counts_[index];
  const std::vector<Segment>& segments = program_.functions()[index].segments;
  if (!counts.empty()) return counts;
  counts.assign(segments.size(), 0);
  std::vector<uint32_t> open;
  for (uint32_t root = 0; root < segments.size(); ++root) {
    if (counts[root] != 0) continue;
    open.push_back(root);
    while (!open.empty()) {
      const uint32_t at = open.back();
      const Segment& segment = segments[at];
      uint64_t sum = 0;
      bool ready = true;
      if (segment.end != SegmentEnd::branch)
        sum = 1;
      else
        for (const SegmentEdge& edge : segment.edges) {
          if (!edge.cut && counts[edge.target] == 0) {
            open.push_back(edge.target);
            ready = false;
            break;
          }
          sum += edge.cut ? 1 : counts[edge.target];
        }
      if (!ready) continue;
      counts[at] = sum;
      open.pop_back();
    }
  }
  return counts;
}

std::optional<PathFacts> PathFactTable::take_apart(uint32_t id) {
  const uint32_t index = program_.function_of(id);
  if (index == kNone) return std::nullopt;
  const Function& function = program_.functions()[index];
  const std::vector<uint64_t>& counts = count_paths(index);
  uint64_t rest = id - function.first_path;
  uint32_t at = 0;
  for (; at < function.segments.size(); ++at) {
    if (function.segments[at].start == SegmentStart::none) continue;
    if (rest < counts[at]) break;
    rest -= counts[at];
  }
  if (at == function.segments.size()) return std::nullopt;

  PathFacts facts;
  facts.function = index;
  facts.first = at;
  facts.enters = function.segments[at].start == SegmentStart::entry;
  while (true) {
    const Segment& segment = function.segments[at];
    facts.last = at;
    facts.end = segment.end;
    for (uint32_t i = 0; i < segment.statement_count; ++i)
      if (!function.statements[segment.first_statement + i].pseudo) ++facts.statements;
    if (segment.end != SegmentEnd::branch) break;
    size_t e = 0;
    for (; e < segment.edges.size(); ++e) {
      const uint64_t along = segment.edges[e].cut ? 1 : counts[segment.edges[e].target];
      if (rest < along) break;
      rest -= along;
    }
    if (e == segment.edges.size()) return std::nullopt;
    if (segment.edges[e].cut) {
      facts.goes_to = segment.edges[e].target;
      break;
    }
    at = segment.edges[e].target;
  }
  facts.leaves = facts.end == SegmentEnd::ret || facts.end == SegmentEnd::tail_call ||
                 facts.end == SegmentEnd::unwind;
  return facts;
}

const PathFacts* PathFactTable::find_slow(uint32_t id, Recent& slot) {
  auto found = kept_.find(id);
  if (found == kept_.end()) {
    if (kept_.size() >= kMaxKept) kept_.clear();
    const auto facts = take_apart(id);
    if (!facts) return nullptr;
    found = kept_.emplace(id, *facts).first;
  }
  slot = {true, id, found->second};
  return &slot.facts;
}

}  // namespace vestige
