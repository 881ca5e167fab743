// Tables that share pages are tables of their own.
#include "base/zeroed_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace vestige {
namespace {

using Table = ZeroedTable<uint64_t>;

bool holds(Table& table, size_t size, uint64_t value) {
  return std::all_of(table.data(), table.data() + size, [&](uint64_t v) { return v == value; });
}

TEST(ZeroedTable, TogetherTheyAreApart) {
  std::mt19937 random(7);
  std::vector<size_t> sizes = {1, 3, 8, kHugePage / 8 - 1, kHugePage / 8, kHugePage / 8 + 1};
  while (sizes.size() < 60) sizes.push_back(1 + random() % (kHugePage / 8));
  std::vector<Table> tables;
  {
    const TablesTogether together;
    for (const size_t size : sizes) tables.emplace_back(size);
  }
  for (size_t t = 0; t < sizes.size(); ++t) {
    ASSERT_EQ(tables[t].bytes(), sizes[t] * 8);
    ASSERT_TRUE(holds(tables[t], sizes[t], 0)) << t;
    std::fill_n(tables[t].data(), sizes[t], t + 1);
  }
  for (size_t t = 0; t < sizes.size(); ++t) ASSERT_TRUE(holds(tables[t], sizes[t], t + 1)) << t;
  // Some go, the others stay.
  for (size_t t = 0; t < sizes.size(); t += 2) tables[t] = Table();
  for (size_t t = 1; t < sizes.size(); t += 2) {
    ASSERT_TRUE(holds(tables[t], sizes[t], t + 1)) << t;
    tables[t].clear(sizes[t] / 2);
    ASSERT_TRUE(holds(tables[t], sizes[t] / 2, 0)) << t;
    ASSERT_EQ(tables[t][sizes[t] - 1], t + 1);
  }
}

TEST(ZeroedTable, OnlyThoseMadeMeanwhileShare) {
  const auto near = [](Table& a, Table& b) {
    const auto distance =
        reinterpret_cast<uint8_t*>(b.data()) - reinterpret_cast<uint8_t*>(a.data());
    return distance == 64;
  };
  Table inner_first, inner_second, outer_first, outer_second;
  {
    const TablesTogether outer;
    outer_first = Table(8);
    {
      const TablesTogether inner;
      inner_first = Table(8);
      inner_second = Table(8);
    }
    outer_second = Table(8);
  }
  EXPECT_EQ(TablesTogether::current(), nullptr);
  EXPECT_TRUE(near(inner_first, inner_second));
  EXPECT_TRUE(near(outer_first, outer_second));
  Table alone(8);
  EXPECT_FALSE(near(outer_second, alone));
  EXPECT_EQ(Table(0).data(), nullptr);
}

}  // namespace
}  // namespace vestige
