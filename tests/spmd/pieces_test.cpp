// Pieces are numbered one to one, against an enumeration of all ways.
#include "spmd/pieces.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace vestige::spmd {
namespace {

// A function whose blocks are segments; the last one leaves.
Function graph(const std::vector<std::vector<uint32_t>>& edges) {
  Function function;
  function.name = "f";
  function.blocks.resize(edges.size());
  for (uint32_t s = 0; s < edges.size(); ++s) {
    Segment& segment = function.segments.emplace_back();
    segment.block = s;
    segment.end = edges[s].empty() ? SegmentEnd::ret : SegmentEnd::branch;
    for (const uint32_t target : edges[s]) segment.edges.push_back({target, false});
  }
  return function;
}

void expect_one_to_one(const Function& function) {
  const FunctionPieces pieces(function);
  std::map<uint64_t, std::pair<uint32_t, bool>> seen;  // number: last segment, whether it leaves
  const auto go = [&](auto&& self, uint32_t s, uint64_t number) -> void {
    ASSERT_TRUE(seen.try_emplace(number, s, false).second) << "piece " << number << " is two";
    if (pieces.ends_activation(s)) {
      ASSERT_TRUE(seen.try_emplace(number + 1, s, true).second);
      return;
    }
    for (uint32_t e = 0; e < function.segments[s].edges.size(); ++e)
      self(self, function.segments[s].edges[e].target, number + pieces.number_of_edge(s, e));
  };
  go(go, 0, 0);
  uint64_t next = 0;
  for (const auto& [number, end] : seen) {
    ASSERT_EQ(number, next++);
    const Piece piece = pieces.piece(0, number);
    ASSERT_EQ(piece.segment, end.first);
    ASSERT_EQ(piece.end == Piece::End::leave, end.second);
  }
}

// Steps with one common way out: as of an unrolled loop that may end after each round.
TEST(Pieces, ManyEdgesToOneSegment) {
  std::vector<std::vector<uint32_t>> edges;
  for (uint32_t ladder = 0; ladder < 3; ++ladder) {
    const uint32_t out = static_cast<uint32_t>(edges.size()) + 12;
    for (uint32_t step = 0; step < 11; ++step)
      edges.push_back({out, static_cast<uint32_t>(edges.size()) + 1});
    edges.push_back({out});
  }
  edges.emplace_back();
  expect_one_to_one(graph(edges));
}

TEST(Pieces, RandomGraphs) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const uint32_t size = 2 + random() % 14;
    std::vector<std::vector<uint32_t>> edges(size);
    for (uint32_t s = 0; s + 1 < size; ++s)
      for (uint32_t e = 1 + random() % 3; e != 0; --e)
        edges[s].push_back(s + 1 + random() % (size - s - 1));
    expect_one_to_one(graph(edges));
  }
}

}  // namespace
}  // namespace vestige::spmd
