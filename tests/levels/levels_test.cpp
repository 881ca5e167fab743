// All levels of our own codec: every shape of records comes back exactly, block after block; what
// is easy to predict costs next to nothing; damaged bytes are an error or other values, never more.
#include "codec/levels.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace vestige {
namespace {

RecordLayout layout_of(std::initializer_list<std::pair<int, bool>> fields) {
  RecordLayout layout;
  for (const auto& [width, pc] : fields)
    layout.fields.push_back({pc ? "pc" : "data", static_cast<uint8_t>(width), pc});
  return layout;
}
const std::vector<RecordLayout> kLayouts = {
    layout_of({{4, true}, {8, false}}),              // vpc
    layout_of({{8, true}, {8, false}, {1, false}}),  // refs
    layout_of({{4, true}}),                          // cf
    layout_of({{8, false}}),                         // u64
    layout_of({{2, false}, {3, false}}),             // no PC, odd widths
    layout_of({{1, false}, {7, false}, {5, true}}),  // the PC last
};

// One column of a random kind: constant, strided, nested strides, random, periodic with noise,
// extremes.
std::vector<uint64_t> random_column(std::mt19937_64& random, size_t rows, uint64_t mask) {
  std::vector<uint64_t> column(rows);
  const uint64_t start = random(), stride = random() % 3 ? random() % 64 : random();
  const uint64_t inner = 1 + random() % 20, period = 1 + random() % 12;
  const uint64_t kind = random() % 7;
  for (size_t i = 0; i < rows; ++i) {
    uint64_t value = 0;
    switch (kind) {
      case 0:
        value = start;
        break;
      case 1:
        value = start + i * stride;
        break;
      case 2:
        value = start + i % inner * stride + i / inner * 4096;
        break;
      case 3:
        value = random();
        break;
      case 4:
        value = random() % 9 == 0 ? random() : start + i % period * 8;
        break;
      case 5:
        value = random() % 2 ? ~uint64_t{0} : random() % 2 ? uint64_t{1} << 63 : 0;
        break;
      default:
        value = random() % 4 ? random() % 5 : start + random() % 1000;
        break;
    }
    column[i] = value & mask;
  }
  return column;
}
RecordBlock random_block(std::mt19937_64& random, const RecordLayout& layout, size_t rows) {
  RecordBlock block;
  block.rows = rows;
  for (const RecordField& field : layout.fields)
    block.columns.push_back(random_column(
        random, rows, field.width == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * field.width) - 1));
  return block;
}

// What a program would leave: a few procedures called in a changing order, each with its own PCs,
// constants, a counter, and addresses in an object that changes from call to call.
RecordBlock program_block(std::mt19937_64& random, const RecordLayout& layout, size_t rows) {
  RecordBlock block;
  block.rows = rows;
  block.columns.resize(layout.fields.size());
  uint64_t counter = 0;
  while (block.columns[0].size() < rows) {
    const uint64_t procedure = random() % 20;
    const uint64_t object = 0x7f0000000000 + random() % 50 * 4096;
    for (uint64_t i = 0; i < 5 + procedure * 3 && block.columns[0].size() < rows; ++i) {
      for (size_t f = 0; f < layout.fields.size(); ++f) {
        const RecordField& field = layout.fields[f];
        uint64_t value = field.is_pc      ? 0x401000 + procedure * 256 + i * 4
                         : i % 5 == 0     ? ++counter
                         : i % 5 == 1     ? procedure
                         : random() % 200 ? object + i * 8 + f
                                          : random();
        if (field.width < 8) value &= (uint64_t{1} << 8 * field.width) - 1;
        block.columns[f].push_back(value);
      }
    }
  }
  return block;
}

// Of each layout and level; VESTIGE_CASES=20000 makes it 10^6 in all (a few minutes).
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
                         testing::Combine(testing::Range<size_t>(0, 6), testing::Range(1, 10)),
                         [](const auto& info) {
                           return "layout" + std::to_string(std::get<0>(info.param)) + "level" +
                                  std::to_string(std::get<1>(info.param));
                         });

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
