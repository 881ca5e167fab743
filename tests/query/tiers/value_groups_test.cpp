// Value groups against a plain map, there and back, and on damaged bytes.
#include "codec/groups/value_groups.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace vestige {
namespace {

using Row = std::vector<uint64_t>;

TEST(ValueGroups, ThereAndBack) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 24; ++round) {
    const size_t columns = 1 + random() % 6;
    const uint64_t different = round % 3 == 0 ? 1 : round % 3 == 1 ? 40 : 100'000;
    ValueGroupEncoder encoder(columns);
    std::map<Row, uint64_t> numbers;
    std::vector<Row> rows;
    for (uint64_t i = 0, count = random() % 9000; i < count; ++i) {
      std::mt19937_64 inputs(random() % different);
      Row row;
      for (size_t c = 0; c < columns; ++c) row.push_back(inputs() >> (c * 13 % 64));
      numbers.try_emplace(row, numbers.size());
      encoder.append(row);
      rows.push_back(row);
    }
    EXPECT_EQ(encoder.rows(), rows.size());
    EXPECT_EQ(encoder.combinations(), numbers.size());
    const Bytes bytes = encoder.finish();
    EXPECT_EQ(encoder.rows(), 0u);
    const auto back = decode_value_group(bytes, rows.size(), columns);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, rows);
    if (!rows.empty()) EXPECT_FALSE(decode_value_group(bytes, rows.size() - 1, columns));
    EXPECT_FALSE(decode_value_group(bytes, rows.size(), columns - 1));
    for (int i = 0; i < 40; ++i) {
      Bytes damaged = bytes;
      for (int k = 0; k < 2; ++k) damaged[random() % damaged.size()] = uint8_t(random());
      if (random() % 3 == 0) damaged.resize(random() % damaged.size());
      const auto read = decode_value_group(damaged, rows.size(), columns);
      if (read) EXPECT_LE(read->size(), rows.size());
    }
  }
}

TEST(ValueGroups, ManyStatementsOneInput) {
  // What the paper promises: ten columns that follow from one input take little more than one.
  std::mt19937_64 random(5);
  ValueGroupEncoder one(1), ten(10);
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t input = random() % 16;
    Row row;
    for (uint64_t c = 0; c < 10; ++c) row.push_back(input * 77 + c * c);
    ten.append(row);
    one.append(std::span(row).first(1));
  }
  EXPECT_LT(ten.finish().size(), one.finish().size() + 700);
}

}  // namespace
}  // namespace vestige
