#include "record/collect/left_paths.h"

#include <algorithm>

#include "record/protocol.h"

namespace vestige {

namespace {

constexpr uint64_t kLast = protocol::kLastAccess;

}  // namespace

void LeftPaths::leave(uint32_t thread, uint64_t time, uint64_t ordinal) {
  uint64_t& last = last_[{thread, time}];
  last = std::max(last, OrderPosition::at(time, ordinal));
}

bool LeftPaths::is_left(uint32_t thread, uint64_t position) const {
  const auto found = last_.find({thread, OrderPosition::time(position)});
  // An atomic operation has the last place, and its path is complete.
  return found != last_.end() && position <= found->second && (position & kLast) != kLast;
}

std::vector<PlacedEdge> LeftPaths::without(const std::vector<PlacedEdge>& edges) {
  if (last_.empty()) return edges;
  for (const PlacedEdge& edge : edges)
    if (is_left(edge.to_thread, edge.to))
      sources_[{edge.to_thread, OrderPosition::time(edge.to)}].push_back(
          {edge.to, edge.from, edge.from_thread, edge.from_statement});
  std::vector<PlacedEdge> out;
  for (PlacedEdge edge : edges) {
    if (is_left(edge.to_thread, edge.to)) {
      edge.to = OrderPosition::at(OrderPosition::time(edge.to), 0);
      edge.to_statement = kWholePath;
    }
    add_sources(edge, out);
  }
  return out;
}

void LeftPaths::add_sources(const PlacedEdge& edge, std::vector<PlacedEdge>& out) const {
  struct Reached {
    uint64_t from = 0;  // as it was told
    PlacedEdge edge;
  };
  std::map<uint32_t, Reached> reached;  // by thread: the last that leads to the same access
  std::vector<PlacedEdge> open = {edge};
  while (!open.empty()) {
    PlacedEdge one = open.back();
    open.pop_back();
    if (one.from_thread == one.to_thread) continue;
    const uint64_t from = one.from;
    const uint64_t time = OrderPosition::time(from);
    const bool left = is_left(one.from_thread, from);
    if (left) {
      one.from = OrderPosition::at(time - 1, kLast);
      one.from_statement = kWholePath;
    }
    // What is further back in that thread follows from this.
    Reached& last = reached[one.from_thread];
    if (from <= last.from) continue;
    last = {from, one};
    if (!left) continue;
    const auto sources = sources_.find({one.from_thread, time});
    if (sources == sources_.end()) continue;
    for (const Source& source : sources->second)
      if (source.to <= from)
        open.push_back({source.from_thread, edge.to_thread, source.from, edge.to,
                        source.from_statement, edge.to_statement});
  }
  for (const auto& [thread, last] : reached)
    if (OrderPosition::time(last.edge.from) != 0) out.push_back(last.edge);
}

}  // namespace vestige
