// Path numbering against plain enumeration: every path has one number, every number one path.
#include "program/numbering.h"

#include <gtest/gtest.h>

#include "program/path_count.h"
#include "random_function.h"
#include "trace/synthetic.h"

namespace vestige {
namespace {

constexpr uint64_t kEnumerable = 20000;

bool goes_on(const Segment& segment, const SegmentEdge& edge) {
  return segment.end == SegmentEnd::branch && !edge.cut;
}

// Takes away segments nothing leads to until none is left, or only cycles are (Kahn).
bool is_acyclic(const std::vector<Segment>& segments) {
  std::vector<uint32_t> ways_in(segments.size());
  for (const Segment& segment : segments)
    for (const SegmentEdge& edge : segment.edges) ways_in[edge.target] += goes_on(segment, edge);
  std::vector<uint32_t> free;
  for (uint32_t s = 0; s < segments.size(); ++s)
    if (ways_in[s] == 0) free.push_back(s);
  size_t taken = 0;
  while (!free.empty()) {
    const Segment& segment = segments[free.back()];
    free.pop_back();
    ++taken;
    for (const SegmentEdge& edge : segment.edges)
      if (goes_on(segment, edge) && --ways_in[edge.target] == 0) free.push_back(edge.target);
  }
  return taken == segments.size();
}

bool leads_to(const std::vector<Segment>& segments, uint32_t from, uint32_t to) {
  std::vector<bool> seen(segments.size());
  std::vector<uint32_t> open{from};
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    if (at == to) return true;
    if (seen[at]) continue;
    seen[at] = true;
    for (const SegmentEdge& edge : segments[at].edges)
      if (goes_on(segments[at], edge)) open.push_back(edge.target);
  }
  return false;
}

// What a run adds up along its way: the number the pass's code would append.
uint64_t number_of(const std::vector<Segment>& segments, const Numbering& numbering,
                   const DecodedPath& path) {
  uint64_t number = numbering.start_offset[path.segments.front()];
  for (size_t i = 0; i < path.segments.size(); ++i) {
    const uint32_t at = path.segments[i];
    if (i + 1 == path.segments.size())
      return number + (path.last_edge == kNone ? 0 : numbering.increment[at][path.last_edge]);
    uint32_t edge = 0;
    while (segments[at].edges[edge].target != path.segments[i + 1] || segments[at].edges[edge].cut)
      ++edge;
    number += numbering.increment[at][edge];
  }
  return number;
}

bool has_parallel_edges(const std::vector<Segment>& segments) {
  for (const Segment& segment : segments)
    for (size_t a = 0; a < segment.edges.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        if (segment.edges[a].target == segment.edges[b].target &&
            segment.edges[a].cut == segment.edges[b].cut)
          return true;
  return false;
}

// The numbering is the place in the enumeration, both ways; gives false when there are too many
// paths to write down.
bool check_against_enumeration(const std::vector<Segment>& segments) {
  const auto numbering = number_paths(segments);
  EXPECT_TRUE(numbering);
  if (!numbering || numbering->path_count > kEnumerable) return false;
  Function function;
  function.segments = segments;
  const auto plain = synthetic::enumerate_paths(function);
  EXPECT_EQ(numbering->path_count, plain.size());
  const bool unambiguous = !has_parallel_edges(segments);
  for (uint64_t number = 0; number < std::min<uint64_t>(plain.size(), numbering->path_count);
       ++number) {
    const DecodedPath path = decode_path(segments, *numbering, number);
    EXPECT_EQ(path.segments, plain[number].segments) << "path " << number;
    const uint32_t target = path.last_edge == kNone
                                ? kNone
                                : segments[path.segments.back()].edges[path.last_edge].target;
    EXPECT_EQ(target, plain[number].cut_target) << "path " << number;
    if (unambiguous) EXPECT_EQ(number_of(segments, *numbering, path), number);
    if (testing::Test::HasFailure()) return true;
  }
  return true;
}

TEST(Numbering, IsTheBijectionOfPlainEnumeration) {
  std::mt19937 random(1);
  int checked = 0;
  for (int round = 0; round < 20000 && !HasFailure(); ++round) {
    auto segments = random_segments(random, 14);
    cut_cycles(segments);
    checked += check_against_enumeration(segments);
  }
  EXPECT_GT(checked, 19000);
}

TEST(Numbering, CutCyclesLeavesNoCycle) {
  std::mt19937 random(2);
  for (int round = 0; round < 20000; ++round) {
    auto segments = random_segments(random, 1 + round % 40);
    const bool had_cycle = !is_acyclic(segments);
    EXPECT_EQ(number_paths(segments).has_value(), !had_cycle);
    EXPECT_EQ(count_paths(segments).has_value(), !had_cycle);
    const auto before = segments;
    const uint32_t cuts = cut_cycles(segments);
    ASSERT_EQ(cuts != 0, had_cycle);
    ASSERT_TRUE(is_acyclic(segments));
    ASSERT_TRUE(number_paths(segments));
    uint32_t changed = 0;
    for (uint32_t s = 0; s < segments.size(); ++s)
      for (uint32_t e = 0; e < segments[s].edges.size(); ++e) {
        if (segments[s].edges[e].cut == before[s].edges[e].cut) continue;
        ++changed;
        ASSERT_NE(segments[segments[s].edges[e].target].start, SegmentStart::none);
        ASSERT_TRUE(leads_to(before, segments[s].edges[e].target, s)) << "it was on no cycle";
      }
    ASSERT_EQ(changed, cuts);
    ASSERT_EQ(cut_cycles(segments), 0u);
  }
}

TEST(Numbering, ALoopWhoseEveryRoundCallsIsLeftAlone) {
  // 0 entry → 1 header → 2 call; 3 behind the call → 1 or 4 return
  std::vector<Segment> segments(5);
  segments[0] = {.start = SegmentStart::entry, .edges = {{1, false}}};
  segments[1] = {.edges = {{2, false}}};
  segments[2] = {.end = SegmentEnd::call, .edges = {{3, true}}};
  segments[3] = {.start = SegmentStart::resume, .edges = {{1, false}, {4, false}}};
  segments[4] = {.end = SegmentEnd::ret};
  EXPECT_EQ(cut_cycles(segments), 0u);
  EXPECT_EQ(number_paths(segments)->path_count, 3u);
  // Without the call the back edge is what is cut.
  segments[2].end = SegmentEnd::branch;
  segments[2].edges[0].cut = false;
  EXPECT_EQ(cut_cycles(segments), 1u);
  EXPECT_TRUE(segments[3].edges[0].cut);
  EXPECT_FALSE(segments[3].edges[1].cut);
  EXPECT_EQ(segments[1].start, SegmentStart::block);
}

// A row of diamonds has 2^n paths.
std::vector<Segment> diamonds(uint32_t n) {
  std::vector<Segment> segments(3 * n + 1);
  for (uint32_t d = 0; d < n; ++d) {
    segments[3 * d].edges = {{3 * d + 1, false}, {3 * d + 2, false}};
    segments[3 * d + 1].edges = segments[3 * d + 2].edges = {{3 * d + 3, false}};
  }
  segments[3 * n].end = SegmentEnd::ret;
  segments[0].start = SegmentStart::entry;
  return segments;
}

TEST(Numbering, LimitPathsObeysTheLimit) {
  std::mt19937 random(3);
  for (int round = 0; round < 10000 && !HasFailure(); ++round) {
    auto segments = round % 2 ? diamonds(1 + random() % 10) : random_segments(random, 30);
    cut_cycles(segments);
    const uint64_t limit = 1 + random() % 100;
    const uint32_t cuts = limit_paths(segments, limit);
    ASSERT_TRUE(is_acyclic(segments));
    const auto numbering = number_paths(segments);
    ASSERT_TRUE(numbering);
    EXPECT_EQ(count_paths(segments), numbering->path_count);
    uint64_t widest = 1;  // a single segment with more edges than the limit cannot do better
    for (const Segment& segment : segments) widest = std::max(widest, segment.edges.size());
    for (const uint32_t start : numbering->starts)
      ASSERT_LE(numbering->paths_from[start], std::max(limit, widest));
    if (cuts == 0) continue;
    check_against_enumeration(segments);
    ASSERT_EQ(limit_paths(segments, limit), 0u) << "cut twice";
  }
}

TEST(Numbering, WithinTheLimitNothingIsCut) {
  auto segments = diamonds(16);
  EXPECT_EQ(limit_paths(segments, 1 << 16), 0u);
  EXPECT_GT(limit_paths(segments, (1 << 16) - 1), 0u);
}

TEST(Numbering, RefusesWhatNoPassWrites) {
  auto too_many = diamonds(40);
  EXPECT_FALSE(number_paths(too_many));
  EXPECT_GT(limit_paths(too_many, 1 << 16), 0u);
  EXPECT_TRUE(number_paths(too_many));

  std::vector<Segment> outside(1);
  outside[0].edges = {{1, true}};
  EXPECT_FALSE(number_paths(outside));
  std::vector<Segment> nowhere(1);
  EXPECT_FALSE(number_paths(nowhere));
  std::vector<Segment> itself(1);
  itself[0].edges = {{0, false}};
  EXPECT_FALSE(number_paths(itself));
}

}  // namespace
}  // namespace vestige
