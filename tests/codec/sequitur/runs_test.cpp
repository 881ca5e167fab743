#include <gtest/gtest.h>

#include "codec/stream/runs/runs_stream.h"
#include "codec/stream/runs/strided_runs.h"
#include "plain.h"
#include "round_trip.h"

namespace vestige {
namespace {

using section::DifferenceRun;
using section::RunsGrammar;
using section::StridedRun;
using section::StridedRunCursor;

RunsGrammar loaded(const std::vector<uint64_t>& values) {
  section::RunsWriter writer;
  writer.append(values);
  return std::move(*RunsGrammar::load(writer.finish()));
}

std::vector<DifferenceRun> difference_runs(const RunsGrammar& runs) {
  std::vector<DifferenceRun> out;
  sequitur::GrammarCursor cursor(runs.grammar());
  uint32_t terminal = 0;
  while (cursor.next(terminal)) out.push_back(runs.run(terminal));
  return out;
}

TEST(Runs, PaperExample) {
  const RunsGrammar runs = loaded({10, 14, 18, 22, 42});
  EXPECT_EQ(difference_runs(runs), (std::vector<DifferenceRun>{{10, 1}, {4, 3}, {20, 1}}));
  StridedRunCursor cursor(runs);
  StridedRun run;
  ASSERT_TRUE(cursor.next(run));
  EXPECT_EQ(run, (StridedRun{0, 10, 4, 4}));
  ASSERT_TRUE(cursor.next(run));
  EXPECT_EQ(run, (StridedRun{4, 42, 0, 1}));
  EXPECT_FALSE(cursor.next(run));
}

// The paper's sub-grid: rows of a matrix, swept again and again.
TEST(Runs, SubGridsAreAFewSymbols) {
  std::vector<uint64_t> values;
  for (int sweep = 0; sweep < 50; ++sweep)
    for (uint64_t row = 10; row < 90; ++row)
      for (uint64_t column = 20; column < 60; ++column)
        values.push_back(0x7f0000000000 + row * 4096 + column * 8);
  const RunsGrammar runs = loaded(values);
  EXPECT_EQ(runs.size(), values.size());
  EXPECT_LE(runs.grammar().rules().symbols.size(), 20u);
  StridedRunCursor cursor(runs);
  StridedRun run;
  for (int row = 0; row < 50 * 80; ++row) {
    ASSERT_TRUE(cursor.next(run));
    EXPECT_EQ(run.start, values[run.position]);
    EXPECT_EQ(run.stride, 8u);
    EXPECT_EQ(run.count, 40u);
  }
  EXPECT_FALSE(cursor.next(run));
}

TEST(Runs, WrappingDifferences) {
  Random random(1);
  const uint64_t most = ~uint64_t{0}, half = uint64_t{1} << 63;
  auto encoder = make_runs_encoder();
  for (const std::vector<uint64_t>& values : {std::vector<uint64_t>{most},
                                              {most, 0, 1, 2},
                                              {0, most, 0, most},
                                              {half, 0, half, 0},
                                              {most, most - 1, most - 2, 5},
                                              {1, half, most},
                                              {0, 0, 0, 0}})
    check_round_trip(*encoder, open_runs, values, random);
}

// Each strided run against the values it stands for; backwards and by seek the same ones.
TEST(Runs, StridedRunsCoverTheStream) {
  Random random(2);
  for (int round = 0; round < 3000; ++round) {
    const auto values = stream_of_shape(random, round % kShapes, random() % 120);
    const RunsGrammar runs = loaded(values);
    StridedRunCursor cursor(runs);
    std::vector<StridedRun> all;
    StridedRun run;
    uint64_t position = 0;
    while (cursor.next(run)) {
      ASSERT_EQ(run.position, position);
      ASSERT_GT(run.count, 0u);
      for (uint64_t i = 0; i < run.count; ++i)
        ASSERT_EQ(run.start + i * run.stride, values[position + i]);
      position += run.count;
      all.push_back(run);
    }
    ASSERT_EQ(position, values.size());
    for (size_t i = all.size(); i-- > 0;) {
      ASSERT_TRUE(cursor.prev(run));
      ASSERT_EQ(run, all[i]);
    }
    ASSERT_FALSE(cursor.prev(run));
    for (const StridedRun& expected : all) {
      ASSERT_TRUE(cursor.seek(expected.position + random() % expected.count));
      ASSERT_TRUE(cursor.next(run));
      ASSERT_EQ(run, expected);
    }
    ASSERT_TRUE(cursor.seek(values.size()));
    ASSERT_FALSE(cursor.next(run));
    ASSERT_FALSE(cursor.seek(values.size() + 1));
  }
}

TEST(Runs, AMillionSmallStreams) { check_many(make_runs_encoder, open_runs); }
TEST(Runs, LongStreams) { check_long(make_runs_encoder, open_runs); }
TEST(Runs, DamageIsAnError) { check_damage(make_runs_encoder, open_runs); }

TEST(Runs, BoundedMemoryIsSeveralParts) {
  Random random(3);
  for (unsigned shape = 0; shape < kShapes; ++shape) {
    const auto values = stream_of_shape(random, shape, 100'000);
    section::RunsWriter writer(60'000);
    writer.append(values);
    const Bytes bytes = writer.finish();
    if (shape == 4) EXPECT_GT(bytes[0], 5);
    auto cursor = open_runs(bytes);
    ASSERT_TRUE(cursor.has_value());
    check_cursor(**cursor, values, random);
  }
}

TEST(Runs, Tables) {
  Random random(4);
  for (int round = 0; round < 2000; ++round) {
    std::vector<DifferenceRun> runs;
    const uint64_t count = random() % 50;
    for (uint64_t i = 0; i < count; ++i)
      runs.push_back({random() % 2 ? random() % 9 : random(),
                      random() % 5 == 0 ? ~uint64_t{0} >> random() % 64 : 1 + random() % 100});
    const auto back = section::decode_run_table(section::encode_run_table(runs));
    ASSERT_TRUE(back.has_value());
    ASSERT_EQ(*back, runs);
  }
  EXPECT_FALSE(section::decode_run_table({}).has_value());
}

TEST(Runs, NothingIsOneByte) { EXPECT_EQ(make_runs_encoder()->finish(), Bytes{0}); }

}  // namespace
}  // namespace vestige
