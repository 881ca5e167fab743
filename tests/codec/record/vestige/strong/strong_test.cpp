// The strong levels beyond what tests/codec/record/vestige does: rows in both orders, parameters, blocks of wrong
// shape, and what is easy to predict costs next to nothing.
#include "codec/record/vestige/strong/strong.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "../record_shapes.h"

namespace vestige {
namespace {

// Returns of a small call graph: the target says where the next return is, as in a trace of
// indirect branches; such a trace is coded row by row.
RecordBlock returns(std::mt19937_64& random, size_t rows) {
  RecordBlock block;
  block.rows = rows;
  block.columns.resize(2);
  uint64_t at = 0;
  for (size_t i = 0; i < rows; ++i) {
    const uint64_t target = at * 4 + random() % 4;
    block.columns[0].push_back(0x401000 + at * 16);
    block.columns[1].push_back(0x7f0000500000 + target * 8);
    at = target * 7 % 64;
  }
  return block;
}

class StrongLevels : public testing::TestWithParam<int> {};

TEST_P(StrongLevels, BranchesComeBackRowByRow) {
  std::mt19937_64 random(10);
  RecordCodecOptions options;
  options.level = GetParam();
  RecordCodecOptions two_threads = options;
  two_threads.threads = 2;
  const auto encoder = make_strong_encoder(kLayouts[0], options);
  const auto parallel = make_strong_encoder(kLayouts[0], two_threads);
  const auto decoder = make_strong_decoder(kLayouts[0], encoder->parameters());
  for (const size_t rows : {20000, 0, 1, 15000}) {
    const RecordBlock block = returns(random, rows);
    const Bytes bytes = encoder->encode(block);
    EXPECT_EQ(bytes.front(), 1);
    EXPECT_EQ(parallel->encode(block), bytes);
    RecordBlock back;
    back.rows = rows;
    ASSERT_TRUE((*decoder)->decode(bytes, back).has_value());
    ASSERT_EQ(back.columns, block.columns);
  }
}

TEST_P(StrongLevels, PredictableRecordsCostNextToNothing) {
  RecordCodecOptions options;
  options.level = GetParam();
  const auto encoder = make_strong_encoder(kLayouts[0], options);
  RecordBlock block;
  block.rows = 200000;
  block.columns.resize(2);
  for (size_t i = 0; i < block.rows; ++i) {
    block.columns[0].push_back(0x401000 + i % 7 * 4);
    block.columns[1].push_back(i % 7 == 3 ? i / 7 * 8 : i % 7);
  }
  EXPECT_LT(encoder->encode(block).size(), 200u);  // of 2.4 MB
}

INSTANTIATE_TEST_SUITE_P(All, StrongLevels, testing::Values(7, 8, 9));

TEST(StrongParameters, AreTheLevel) {
  for (const int level : {7, 8, 9}) {
    RecordCodecOptions options;
    options.level = level;
    EXPECT_EQ(make_strong_encoder(kLayouts[0], options)->parameters(),
              Bytes{static_cast<uint8_t>(level)});
  }
  for (const Bytes& bad : {Bytes{}, Bytes{6}, Bytes{10}, Bytes{9, 0}})
    EXPECT_FALSE(make_strong_decoder(kLayouts[0], bad).has_value());
}

TEST(StrongBlocks, WrongShapesAreErrors) {
  RecordCodecOptions options;
  options.level = 7;
  const auto encoder = make_strong_encoder(kLayouts[1], options);
  std::mt19937_64 random(11);
  const Bytes good = encoder->encode(random_block(random, kLayouts[1], 100));
  const auto fails = [&](const Bytes& bytes, size_t rows) {
    const auto decoder = make_strong_decoder(kLayouts[1], encoder->parameters());
    RecordBlock block;
    block.rows = rows;
    return !(*decoder)->decode(bytes, block).has_value();
  };
  EXPECT_FALSE(fails(good, 100));
  EXPECT_TRUE(fails(good, encoder->block_rows() + 1));
  EXPECT_TRUE(fails({}, 100));
  EXPECT_TRUE(fails({0}, 100));
  Bytes longer = good;
  longer.push_back(0);
  EXPECT_TRUE(fails(longer, 100));
  Bytes by_rows = good;
  by_rows[0] = 1;  // of three columns
  EXPECT_TRUE(fails(by_rows, 100));
}

}  // namespace
}  // namespace vestige
