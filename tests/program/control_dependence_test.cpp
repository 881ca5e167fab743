// Control dependences against their definition: whether a block runs on every way is asked by
// taking the block out of the graph. Shares nothing with src/program/control_dependence.cpp.
#include "program/control_dependence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <random>
#include <set>

namespace vestige {
namespace {

using Graph = std::vector<std::vector<uint32_t>>;  // successors

std::vector<Block> blocks_of(const Graph& graph) {
  std::vector<Block> blocks(graph.size());
  for (size_t b = 0; b < graph.size(); ++b) blocks[b].successors = graph[b];
  return blocks;
}

// What can be reached from a block by one step or more.
std::vector<std::vector<bool>> closure(const Graph& graph) {
  std::vector<std::vector<bool>> reach(graph.size(), std::vector<bool>(graph.size()));
  for (size_t a = 0; a < graph.size(); ++a)
    for (const uint32_t b : graph[a]) reach[a][b] = true;
  for (size_t k = 0; k < graph.size(); ++k)
    for (size_t a = 0; a < graph.size(); ++a)
      for (size_t b = 0; reach[a][k] && b < graph.size(); ++b)
        if (reach[k][b]) reach[a][b] = true;
  return reach;
}

struct Twin {
  explicit Twin(const Graph& with) : graph(with), reach(closure(with)), of(with.size(), kNone) {
    const auto n = static_cast<uint32_t>(graph.size());
    for (uint32_t a = 0; a < n; ++a) {
      // In an endless region: whatever it reaches leads back to it, and it goes on.
      bool endless = !graph[a].empty();
      for (uint32_t b = 0; b < n; ++b) endless = endless && (!reach[a][b] || reach[b][a]);
      if (!endless || of[a] != kNone) continue;
      std::vector<uint32_t> mine;
      for (uint32_t b = 0; b < n; ++b)
        if (reach[a][b]) mine.push_back(b);
      for (const uint32_t b : mine) of[b] = static_cast<uint32_t>(entries.size());
      entries.emplace_back();
      for (const uint32_t b : mine) {
        bool entry = b == 0;
        for (uint32_t c = 0; c < n; ++c)
          entry = entry || (std::ranges::count(graph[c], b) != 0 && of[c] != of[b] &&
                            !reach[b][c] && (c == 0 || reach[0][c]));
        if (entry) entries.back().push_back(b);
      }
      if (entries.back().empty()) entries.back().push_back(mine[0]);
      members.push_back(mine);
    }
  }
  bool ends(uint32_t from, uint32_t to, const std::vector<uint32_t>& begin) const {
    return of[from] != kNone && begin[of[from]] == to;
  }
  // Whether a way from here to the end goes past the block `without`.
  bool avoids(uint32_t from, uint32_t without, const std::vector<uint32_t>& begin) const {
    if (from == without) return false;
    std::vector<bool> seen(graph.size());
    std::vector<uint32_t> open = {from};
    seen[from] = true;
    while (!open.empty()) {
      const uint32_t at = open.back();
      open.pop_back();
      if (graph[at].empty()) return true;
      for (const uint32_t to : graph[at]) {
        if (ends(at, to, begin)) return true;
        if (to == without || seen[to]) continue;
        seen[to] = true;
        open.push_back(to);
      }
    }
    return false;
  }
  // Whether the block depends on this branch when its rounds begin there. With an edge: on that
  // edge's having been taken.
  bool depends(uint32_t block, uint32_t branch, const std::vector<uint32_t>& begin,
               std::optional<uint32_t> edge = {}) const {
    bool always = false, not_always = false;
    for (const uint32_t to : graph[branch]) {
      const bool past = ends(branch, to, begin) || avoids(to, block, begin);
      not_always = not_always || past;
      always = always || (!past && (!edge || *edge == to));
    }
    return always && not_always;
  }

  const Graph graph;
  const std::vector<std::vector<bool>> reach;
  std::vector<uint32_t> of;                             // by block: its endless region
  std::vector<std::vector<uint32_t>> entries, members;  // by region
};

Graph random_graph(std::mt19937& random) {
  Graph graph(1 + random() % 12);
  const uint32_t n = static_cast<uint32_t>(graph.size());
  const uint32_t exits = random() % 4, shape = random() % 3;
  for (uint32_t b = 0; b < n; ++b) {
    if (random() % 8 < exits) continue;
    for (uint32_t k = 1 + random() % 2 + (random() % 8 == 0 ? 2 : 0); k > 0; --k) {
      uint32_t to = random() % n;
      // As programs are: mostly the next one, and back.
      if (shape == 1 && random() % 2 == 0) to = (b + 1) % n;
      if (shape == 2 && random() % 4 != 0) to = std::min(n - 1, b + 1 + uint32_t(random() % 2));
      graph[b].push_back(to);
    }
  }
  return graph;
}

TEST(ControlDependence, IsAsDefinedOnRandomGraphs) {
  std::mt19937 random(26);
  size_t endless = 0, several_entries = 0, several_regions = 0, rounds = 0, parents = 0;
  constexpr size_t kGraphs = 100'000;
  for (size_t i = 0; i < kGraphs; ++i) {
    const Graph graph = random_graph(random);
    const auto n = static_cast<uint32_t>(graph.size());
    const Twin twin(graph);
    std::vector<Block> blocks = blocks_of(graph);
    ASSERT_TRUE(may_be_endless(blocks) || twin.entries.empty());
    find_control_dependences(blocks);
    std::vector<std::set<uint32_t>> wanted(n);
    // All the ways to choose where rounds begin.
    std::vector<size_t> choice(twin.entries.size());
    for (bool more = true; more;) {
      std::vector<uint32_t> begin;
      for (size_t r = 0; r < choice.size(); ++r) begin.push_back(twin.entries[r][choice[r]]);
      for (uint32_t branch = 0; branch < n; ++branch)
        for (uint32_t b = 0; graph[branch].size() > 1 && b < n; ++b)
          if (twin.depends(b, branch, begin)) wanted[b].insert(branch);
      more = false;
      for (size_t r = 0; r < choice.size() && !more; ++r) {
        more = ++choice[r] < twin.entries[r].size();
        if (!more) choice[r] = 0;
      }
    }
    for (uint32_t b = 0; b < n; ++b) {
      const auto& found = blocks[b].control_parents;
      ASSERT_EQ(std::vector(found.begin(), found.end()),
                std::vector(wanted[b].begin(), wanted[b].end()))
          << "graph " << i << ", block " << b;
      parents += found.size();
      uint32_t round = kNone;
      const uint32_t region = twin.of[b];
      if (region != kNone && twin.entries[region].size() == 1) {
        std::vector<uint32_t> begin;
        for (const auto& entries : twin.entries) begin.push_back(entries[0]);
        const uint32_t entry = begin[region];
        if (entry != b && !twin.avoids(entry, b, begin) &&
            std::ranges::any_of(wanted[b], [&](uint32_t p) { return twin.of[p] == region; }))
          round = entry;
      }
      ASSERT_EQ(blocks[b].round, round) << "graph " << i << ", block " << b;
      rounds += round != kNone;
    }
    endless += !twin.entries.empty();
    several_regions += twin.entries.size() > 1;
    several_entries +=
        std::ranges::any_of(twin.entries, [](const auto& e) { return e.size() > 1; });
  }
  std::printf(
      "%zu graphs: %.1f %% with endless regions, %.1f %% with several, %.1f %% with one of several "
      "entries; %zu dependences, %zu blocks that rounds decide on\n",
      kGraphs, 100.0 * double(endless) / kGraphs, 100.0 * double(several_regions) / kGraphs,
      100.0 * double(several_entries) / kGraphs, parents, rounds);
  EXPECT_GT(endless, kGraphs / 4);
  EXPECT_GT(several_entries, kGraphs / 50);
  EXPECT_GT(rounds, kGraphs / 50);
}

// The latest of parents and round is the one that decided: the latest branch of the same round
// that took an edge on which the block depends; when there is none, what decided on the round.
TEST(ControlDependence, TheLatestBranchDecidedInRandomRuns) {
  std::mt19937 random(9);
  size_t steps = 0, by_round = 0, runs = 0;
  while (runs < 30'000) {
    const Graph graph = random_graph(random);
    const Twin twin(graph);
    if (std::ranges::any_of(twin.entries, [](const auto& e) { return e.size() > 1; })) continue;
    ++runs;
    std::vector<uint32_t> begin;
    for (const auto& entries : twin.entries) begin.push_back(entries[0]);
    std::vector<Block> blocks = blocks_of(graph);
    find_control_dependences(blocks);
    std::vector<uint32_t> run = {0};
    while (run.size() < 60 && !graph[run.back()].empty())
      run.push_back(graph[run.back()][random() % graph[run.back()].size()]);
    const auto decider = [&](size_t at) {  // by the definition
      for (size_t s = at; s-- > 0;) {
        // Back over the end of a round: what decided on its first block is from outside.
        if (twin.ends(run[s], run[s + 1], begin)) {
          while (s > 0 && twin.of[run[s - 1]] != kNone) --s;
          for (; s-- > 0;)
            if (twin.depends(run[at], run[s], begin, run[s + 1])) return s;
          return SIZE_MAX;
        }
        if (twin.depends(run[at], run[s], begin, run[s + 1])) return s;
      }
      return SIZE_MAX;
    };
    std::vector<size_t> found(run.size(), SIZE_MAX);
    for (size_t at = 0; at < run.size(); ++at) {
      const Block& block = blocks[run[at]];
      for (size_t s = at; s-- > 0;) {
        if (run[s] == block.round) {
          found[at] = found[s];
          ++by_round;
          break;
        }
        if (std::ranges::count(block.control_parents, run[s]) == 0) continue;
        found[at] = s;
        break;
      }
      ASSERT_EQ(found[at], decider(at)) << "run " << runs << ", step " << at;
      ++steps;
    }
  }
  std::printf("%zu runs, %zu steps, %zu decided by a round\n", runs, steps, by_round);
  EXPECT_GT(by_round, 1000u);
}

TEST(ControlDependence, OfALoopThatAServerRuns) {
  // for (;;) { op = next(); if (op) state = 1; else ++total; }
  std::vector<Block> blocks = blocks_of({{1}, {2, 3}, {4}, {4}, {1}});
  find_control_dependences(blocks);
  EXPECT_TRUE(may_be_endless(blocks));
  EXPECT_TRUE(blocks[1].control_parents.empty());
  ASSERT_EQ(blocks[2].control_parents.size(), 1u);
  EXPECT_EQ(blocks[2].control_parents[0], 1u);
  ASSERT_EQ(blocks[3].control_parents.size(), 1u);
  EXPECT_EQ(blocks[3].control_parents[0], 1u);
  EXPECT_TRUE(blocks[4].control_parents.empty());
}

// A graph that takes a recursive search too deep, or a quadratic one too long.
TEST(ControlDependence, OfManyBlocks) {
  constexpr uint32_t kBlocks = 200'000;
  Graph chain(kBlocks), back(kBlocks);
  for (uint32_t b = 0; b < kBlocks; ++b)
    chain[b] = {(b + 1) % kBlocks, b % 2 ? 0 : (b + 1) % kBlocks};
  back[0] = {kBlocks - 1};
  for (uint32_t b = 2; b < kBlocks; ++b) back[b] = {b - 1};
  std::vector<Block> blocks = blocks_of(chain);
  find_control_dependences(blocks);
  EXPECT_EQ(blocks[2].control_parents.size(), 1u);
  blocks = blocks_of(back);
  EXPECT_TRUE(may_be_endless(blocks));  // too long to say
  find_control_dependences(blocks);
  EXPECT_TRUE(blocks[5].control_parents.empty());
}

// Each block depends on all branches behind it: that is refused where it has a limit.
TEST(ControlDependence, OfTooManyIsRefused) {
  constexpr uint32_t kBlocks = 3000;
  Graph graph(kBlocks);
  for (uint32_t b = 0; b + 1 < kBlocks; ++b) graph[b] = {b + 1, 1};
  graph.back() = {0};
  std::vector<Block> blocks = blocks_of(graph);
  EXPECT_FALSE(find_control_dependences(blocks, 256 * kBlocks));
  EXPECT_TRUE(find_control_dependences(blocks));
  EXPECT_GT(blocks[1].control_parents.size(), kBlocks / 2);
}

}  // namespace
}  // namespace vestige
