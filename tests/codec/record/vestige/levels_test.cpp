// All levels of our own codec: every shape of records comes back exactly, block after block; what
// is easy to predict costs next to nothing; damaged bytes are an error or other values, never more.
#include "codec/record/vestige/levels.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "record_shapes.h"

namespace vestige {
namespace {

// Of each layout and level; VESTIGE_CASES=28000 makes it 10^6 in all (a few minutes).
long small_cases() {
  const char* wanted = std::getenv("VESTIGE_CASES");
  return wanted ? std::atol(wanted) : 1500;
}

class Levels : public testing::TestWithParam<std::tuple<size_t, int>> {
 protected:
  const RecordLayout& layout() const { return kLayouts[std::get<0>(GetParam())]; }
  RecordCodecOptions options() const {
    RecordCodecOptions options;
    options.level = std::get<1>(GetParam());
    return options;
  }
};

TEST_P(Levels, ManySmallBlocksComeBack) {
  std::mt19937_64 random(7);
  const auto encoder = *make_level_encoder(layout(), options());
  const auto decoder = make_level_decoder(layout(), encoder->parameters(), 1);
  ASSERT_TRUE(decoder.has_value());
  for (long round = 0; round < small_cases(); ++round) {
    const RecordBlock block = random_block(random, layout(), random() % 12);
    const Bytes bytes = encoder->encode(block);
    RecordBlock back;
    back.rows = block.rows;
    const auto decoded = (*decoder)->decode(bytes, back);
    ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
    ASSERT_EQ(back.columns, block.columns) << "round " << round;
  }
}

TEST_P(Levels, LargeBlocksComeBackAndThreadsChangeNothing) {
  std::mt19937_64 random(8);
  RecordCodecOptions two_threads = options();
  two_threads.threads = 2;
  RecordCodecOptions explained = options();
  explained.explain = true;
  const auto encoder = *make_level_encoder(layout(), options());
  const auto parallel = *make_level_encoder(layout(), two_threads);
  const auto explaining = *make_level_encoder(layout(), explained);
  const auto decoder = make_level_decoder(layout(), encoder->parameters(), 1);
  for (int round = 0; round < (options().level <= 3 ? 8 : 2); ++round) {
    const RecordBlock block = random_block(random, layout(), 20000 + random() % 20000);
    const Bytes bytes = encoder->encode(block);
    ASSERT_EQ(parallel->encode(block), bytes);
    explaining->encode(block);
    RecordBlock back;
    back.rows = block.rows;
    ASSERT_TRUE((*decoder)->decode(bytes, back).has_value());
    ASSERT_EQ(back.columns, block.columns);
  }
  ASSERT_NE(explaining->explanation(), nullptr);
  for (const FieldExplanation& field : *explaining->explanation()) {
    uint64_t sum = 0, by_pc = 0;
    for (const uint64_t count : field.counts) sum += count;
    for (const auto& [pc, counts] : field.by_pc)
      for (const uint64_t count : counts) by_pc += count;
    EXPECT_EQ(sum, by_pc);
    EXPECT_EQ(field.predictors.size(), field.counts.size());
    EXPECT_EQ(field.predictors.back(), "none");
  }
}

TEST_P(Levels, DamagedBytesDoNoHarm) {
  std::mt19937_64 random(9);
  const auto encoder = *make_level_encoder(layout(), options());
  const RecordBlock block = random_block(random, layout(), 3000);
  const Bytes good = encoder->encode(block);
  for (int round = 0; round < 12; ++round) {
    Bytes bad = good;
    for (int i = 0; i < 4; ++i) bad[random() % bad.size()] = static_cast<uint8_t>(random());
    if (round % 3 == 0) bad.resize(random() % bad.size());
    const auto decoder = make_level_decoder(layout(), encoder->parameters(), 1);
    RecordBlock back;
    back.rows = block.rows;
    if ((*decoder)->decode(bad, back)) {
      for (size_t c = 0; c < back.columns.size(); ++c) ASSERT_EQ(back.columns[c].size(), back.rows);
    }
  }
}

TEST_P(Levels, ProgramsComeBackOnTwoThreads) {
  std::mt19937_64 random(10);
  RecordCodecOptions two_threads = options();
  two_threads.threads = 2;
  const auto encoder = *make_level_encoder(layout(), two_threads);
  const auto decoder = make_level_decoder(layout(), encoder->parameters(), 2);
  for (int round = 0; round < 3; ++round) {
    const RecordBlock block = program_block(random, layout(), 50000 + random() % 20000);
    RecordBlock back;
    back.rows = block.rows;
    ASSERT_TRUE((*decoder)->decode(encoder->encode(block), back).has_value());
    ASSERT_EQ(back.columns, block.columns);
  }
}

INSTANTIATE_TEST_SUITE_P(AllLayouts, Levels,
                         testing::Combine(testing::Range<size_t>(0, 6),
                                          testing::Values(1, 2, 3, 4, 5, 7)),
                         [](const auto& info) {
                           return "layout" + std::to_string(std::get<0>(info.param)) + "level" +
                                  std::to_string(std::get<1>(info.param));
                         });

TEST(LevelsAll, EveryLevelBringsAProgramBack) {
  for (int level = 1; level <= 9; ++level) {
    std::mt19937_64 random(12);
    RecordCodecOptions options;
    options.level = level;
    const auto encoder = *make_level_encoder(kLayouts[1], options);
    const auto decoder = make_level_decoder(kLayouts[1], encoder->parameters(), 1);
    const RecordBlock block = program_block(random, kLayouts[1], 20000);
    RecordBlock back;
    back.rows = block.rows;
    ASSERT_TRUE((*decoder)->decode(encoder->encode(block), back).has_value()) << level;
    ASSERT_EQ(back.columns, block.columns) << level;
  }
  RecordCodecOptions none;
  none.level = 10;
  EXPECT_FALSE(make_level_encoder(kLayouts[0], none).has_value());
  EXPECT_FALSE(make_level_decoder(kLayouts[0], Bytes{10}, 1).has_value());
  EXPECT_FALSE(make_level_decoder(kLayouts[0], Bytes{}, 1).has_value());
}

// More rows than any of these levels remembers.
TEST(LevelsHistory, RowsBeyondTheHistoryComeBack) {
  for (const int level : {1, 2, 5}) {
    std::mt19937_64 random(11);
    RecordCodecOptions options;
    options.level = level;
    const auto encoder = *make_level_encoder(kLayouts[0], options);
    const auto decoder = make_level_decoder(kLayouts[0], encoder->parameters(), 1);
    for (int round = 0; round < 6; ++round) {
      const RecordBlock block = program_block(random, kLayouts[0], encoder->block_rows() - 7);
      RecordBlock back;
      back.rows = block.rows;
      ASSERT_TRUE((*decoder)->decode(encoder->encode(block), back).has_value());
      ASSERT_EQ(back.columns, block.columns) << "level " << level << ", round " << round;
    }
  }
}

// After restart() an encoder is as a new one, whatever it saw before: a little, or more than its
// history.
TEST(LevelsRestart, AnEncoderThatStartsOverIsANewOne) {
  for (size_t l = 0; l < std::size(kLayouts); ++l) {
    const RecordLayout& layout = kLayouts[l];
    RecordCodecOptions options;
    options.level = 1;
    const auto used = *make_level_encoder(layout, options);
    std::mt19937_64 random(l);
    for (const size_t rows_before : {1u, 7u, 30000u, 600000u, 12u}) {
      for (size_t rows = 0; rows < rows_before; rows += 50000)
        used->encode(random_block(random, layout, std::min<size_t>(rows_before - rows, 50000)));
      ASSERT_TRUE(used->restart());
      const auto fresh = *make_level_encoder(layout, options);
      for (const size_t rows : {5u, 20000u, 3u}) {
        const RecordBlock block = random_block(random, layout, rows);
        ASSERT_EQ(used->encode(block), fresh->encode(block)) << rows_before << " rows before";
      }
    }
  }
}

// Noise is kept bare after a while, is found out when it ends, and comes back in any case.
TEST(LevelsNoise, NoiseComesBackAndIsGivenUp) {
  for (size_t l = 0; l < std::size(kLayouts); ++l) {
    const RecordLayout& layout = kLayouts[l];
    for (const int level : {1, 3}) {
      RecordCodecOptions options;
      options.level = level;
      const auto encoder = *make_level_encoder(layout, options);
      const auto decoder = make_level_decoder(layout, encoder->parameters(), 1);
      std::mt19937_64 random(l);
      size_t last_noise = 0, last_pattern = 0;
      for (int round = 0; round < 60; ++round) {
        const bool noise = round < 40;
        RecordBlock block;
        block.rows = 20000 + random() % 3;
        for (const RecordField& field : layout.fields) {
          const uint64_t mask = ~uint64_t{0} >> (64 - 8 * field.width);
          auto& column = block.columns.emplace_back(block.rows);
          for (size_t i = 0; i < block.rows; ++i)
            column[i] = field.is_pc ? 7 + i % 5 : (noise ? random() : 3 * i) & mask;
        }
        const Bytes bytes = encoder->encode(block);
        (noise ? last_noise : last_pattern) = bytes.size();
        RecordBlock back;
        back.rows = block.rows;
        const auto decoded = (*decoder)->decode(bytes, back);
        ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
        ASSERT_EQ(back.columns, block.columns) << "layout " << l << ", round " << round;
      }
      EXPECT_LE(last_noise, 20003 * layout.width() + 2000);
      EXPECT_LE(last_pattern, 4000u) << "layout " << l << ", level " << level;
    }
  }
}

TEST(LevelsSize, PredictableRecordsCostNextToNothing) {
  const RecordLayout& layout = kLayouts[0];
  RecordCodecOptions options;
  const auto encoder = *make_level_encoder(layout, options);
  RecordBlock block;
  block.rows = 200000;
  block.columns.resize(2);
  for (size_t i = 0; i < block.rows; ++i) {
    block.columns[0].push_back(0x401000 + i % 7 * 4);
    block.columns[1].push_back(i % 7 == 3 ? i / 7 * 8 : i % 7);
  }
  EXPECT_LT(encoder->encode(block).size(), 400u);  // of 2.4 MB
}

}  // namespace
}  // namespace vestige
