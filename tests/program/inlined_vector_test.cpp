#include "vestige/detail/inlined_vector.h"

#include <gtest/gtest.h>

#include <random>

namespace vestige {
namespace {

using Row = InlinedVector<uint32_t, 3>;

void expect_same(const Row& row, const std::vector<uint32_t>& expected) {
  EXPECT_EQ(std::vector(row.begin(), row.end()), expected);
  EXPECT_EQ(row.size(), expected.size());
  EXPECT_EQ(row.empty(), expected.empty());
}

// Whatever is done to three rows that are copied and moved into each other, they hold what vectors
// hold.
TEST(Few, DoesWhatVectorsDo) {
  std::mt19937 random(1);
  Row rows[3];
  std::vector<uint32_t> expected[3];
  for (int step = 0; step < 20000; ++step) {
    const size_t a = random() % 3, b = (a + 1 + random() % 2) % 3;
    const auto number = static_cast<uint32_t>(random());
    switch (random() % 9) {
      case 0:
        rows[a] = rows[b];
        expected[a] = expected[b];
        break;
      case 1:
        rows[a] = std::move(rows[b]);
        expected[a] = std::exchange(expected[b], {});
        break;
      case 2:
        rows[a].resize(number % 8);
        expected[a].resize(number % 8);
        break;
      case 3:
        rows[a].append(rows[b].begin(), rows[b].begin() + rows[b].size() / 2);
        expected[a].insert(expected[a].end(), expected[b].begin(),
                           expected[b].begin() + expected[b].size() / 2);
        break;
      case 4:
        rows[a].cut(rows[a].begin() + rows[a].size() / 2);
        expected[a].resize(expected[a].size() / 2);
        break;
      case 5:
        rows[a] = Row(expected[b]);
        expected[a] = expected[b];
        break;
      default:
        rows[a].push_back(number);
        expected[a].push_back(number);
    }
    for (size_t i = 0; i < 3; ++i) expect_same(rows[i], expected[i]);
    EXPECT_EQ(rows[a] == rows[b], expected[a] == expected[b]);
  }
}

TEST(Few, AssignedToItselfStaysAsItIs) {
  Row row{1, 2, 3, 4, 5};
  const Row& same = row;
  row = same;
  expect_same(row, {1, 2, 3, 4, 5});
  EXPECT_EQ(row.front(), 1u);
  EXPECT_EQ(row.back(), 5u);
}

}  // namespace
}  // namespace vestige
