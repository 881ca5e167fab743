// Edges of paths that were left, against a search through all accesses.
#include "record/collect/left_paths.h"

#include <gtest/gtest.h>

#include <random>

namespace vestige {
namespace {

struct Access {
  uint32_t thread = 0;
  uint64_t position = 0;
  bool left = false;
  bool begins = false, ends = false;  // a path, instead of an access
  bool is_access() const { return !begins && !ends; }
};

// Threads whose times begin with accesses that were left, in one row.
std::vector<Access> random_accesses(std::mt19937& chance) {
  std::vector<std::vector<Access>> threads(2 + chance() % 3);
  for (uint32_t t = 0; t < threads.size(); ++t)
    for (uint64_t time = 1; time <= 4; ++time) {
      uint64_t ordinal = 0;
      for (uint32_t i = chance() % 3; i > 0; --i)
        threads[t].push_back(
            {.thread = t, .position = OrderPosition::at(time, ++ordinal), .left = true});
      threads[t].push_back({.thread = t, .position = OrderPosition::at(time, 0), .begins = true});
      for (uint32_t i = chance() % 3; i > 0; --i)
        threads[t].push_back({.thread = t, .position = OrderPosition::at(time, ++ordinal)});
      threads[t].push_back(
          {.thread = t, .position = OrderPosition::at(time, 0xffff), .ends = true});
    }
  std::vector<Access> row;
  std::vector<size_t> at(threads.size());
  for (size_t open = threads.size(); open != 0;) {
    const size_t t = chance() % threads.size();
    if (at[t] > threads[t].size()) continue;
    if (at[t] == threads[t].size())
      --open, ++at[t];
    else
      row.push_back(threads[t][at[t]++]);
  }
  return row;
}

using Reach = std::vector<std::vector<bool>>;

void close(Reach& reach) {
  for (size_t k = 0; k < reach.size(); ++k)
    for (size_t i = 0; i < reach.size(); ++i)
      for (size_t j = 0; reach[i][k] && j < reach.size(); ++j)
        if (reach[k][j]) reach[i][j] = true;
}

bool is_end(const Access& access, uint32_t thread, uint64_t position, uint32_t statement,
            bool before) {
  const bool is_kind = statement != kWholePath ? access.is_access()
                       : before                ? access.ends
                                               : access.begins;
  return access.thread == thread && is_kind && access.position == position;
}

TEST(LeftPaths, EdgesSayWhatTheySaidOfAllOthers) {
  std::mt19937 chance(7);
  uint64_t whole = 0;
  for (int round = 0; round < 500; ++round) {
    const std::vector<Access> row = random_accesses(chance);
    const size_t count = row.size();
    LeftPaths left;
    for (const Access& access : row)
      if (access.left)
        left.leave(access.thread, OrderPosition::time(access.position), access.position & 0xffff);
    Reach wanted(count, std::vector<bool>(count)), got = wanted;
    for (size_t i = 0; i < count; ++i)
      for (size_t j = i + 1; j < count; ++j)
        if (row[i].thread == row[j].thread) {
          wanted[i][j] = true;
          got[i][j] = !row[i].left && !row[j].left;
        }
    std::vector<PlacedEdge> edges;
    for (size_t j = 1; j < count; ++j)
      for (size_t i = chance() % j; i < j; i += 1 + chance() % 8)
        if (row[i].thread != row[j].thread && row[i].is_access() && row[j].is_access()) {
          wanted[i][j] = true;
          edges.push_back({row[i].thread, row[j].thread, row[i].position, row[j].position, 1, 2});
        }
    close(wanted);
    for (const PlacedEdge& edge : left.without(edges)) {
      whole += edge.from_statement == kWholePath || edge.to_statement == kWholePath;
      for (size_t i = 0; i < count; ++i)
        for (size_t j = 0; j < count; ++j)
          if (is_end(row[i], edge.from_thread, edge.from, edge.from_statement, true) &&
              is_end(row[j], edge.to_thread, edge.to, edge.to_statement, false))
            got[i][j] = true;
    }
    close(got);
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < count; ++j)
        if (!row[i].left && !row[j].left)
          ASSERT_EQ(wanted[i][j], got[i][j]) << "round " << round << ": " << i << " and " << j;
  }
  EXPECT_GT(whole, 1000u);
}

}  // namespace
}  // namespace vestige
