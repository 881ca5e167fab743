// Lossy series of values: no value comes back further from its own than was promised, at either end
// of the field's numbers; everything else comes back exactly, and the file says what is not exact.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "archive/columns.h"
#include "archive/error_bounds.h"
#include "delta_codec.h"

namespace vestige {
namespace {

uint64_t distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

// Values near the ends of their range, small, and of any kind.
uint64_t some_value(std::mt19937_64& random, unsigned width) {
  const uint64_t most = ~uint64_t{0} >> (64 - 8 * width);
  const uint64_t near = random() % 300;
  switch (random() % 4) {
    case 0:
      return std::min(near, most);
    case 1:
      return most - std::min(near, most);
    default:
      return random() & most;
  }
}

TEST(Lossy, NoValueIsFurtherThanItsBound) {
  std::mt19937_64 random(1);
  size_t moved = 0, at_the_end = 0;
  for (int round = 0; round < 2000; ++round) {
    RecordLayout layout;
    layout.fields = {{"pc", 4, true}, {"data", static_cast<uint8_t>(1 + random() % 8), false}};
    const unsigned width = layout.fields[1].width;
    const uint64_t most = ~uint64_t{0} >> (64 - 8 * width);
    const uint64_t bound = random() % (round % 2 ? 100 : most / 2) + 1;
    RecordBlock block;
    block.rows = 50;
    block.columns.resize(2);
    for (size_t i = 0; i < block.rows; ++i) {
      block.columns[0].push_back(static_cast<uint32_t>(random()));
      block.columns[1].push_back(some_value(random, width));
    }
    const RecordBlock raw = block;
    round_values(layout, std::array{uint64_t{0}, bound}, block);
    EXPECT_EQ(block.columns[0], raw.columns[0]);
    for (size_t i = 0; i < block.rows; ++i) {
      ASSERT_LE(distance(block.columns[1][i], raw.columns[1][i]), bound);
      ASSERT_LE(block.columns[1][i], most);
      moved += block.columns[1][i] != raw.columns[1][i];
      at_the_end += block.columns[1][i] == most;
    }
  }
  EXPECT_GT(moved, 50'000u);
  EXPECT_GT(at_the_end, 100u);
}

TEST(Lossy, ThroughEveryKindOfCodec) {
  std::mt19937_64 random(2);
  ByteWriter out;
  out.u32(0x33637076);
  for (uint64_t i = 0; i < 20'000; ++i) {
    out.u32(static_cast<uint32_t>(0x401000 + i % 7 * 4));
    out.u64(1'000'000 + i * 64 + random() % 20);
  }
  out.u8(7);  // left over
  const Bytes raw = out.take();
  for (const char* codec : {"vestige", "vpc2", "hybrid", "sequitur"}) {
    CompressOptions exact;
    exact.format = "vpc";
    exact.codec = codec;
    CompressOptions lossy = exact;
    lossy.errors = {{"value", 10}};
    const Bytes small = compressed(raw, lossy, registered_codecs());
    EXPECT_LT(small.size(), compressed(raw, exact, registered_codecs()).size()) << codec;
    const Decompressed back = decompressed(small, registered_codecs());
    ASSERT_EQ(back.problem, "") << codec;
    ASSERT_EQ(back.bytes.size(), raw.size());
    EXPECT_EQ(back.bytes.back(), 7);
    for (size_t at = 4; at + 12 <= raw.size(); at += 12) {
      uint64_t theirs = 0, mine = 0;
      std::memcpy(&theirs, raw.data() + at + 4, 8);
      std::memcpy(&mine, back.bytes.data() + at + 4, 8);
      ASSERT_LE(distance(theirs, mine), 10u);
      ASSERT_EQ(std::memcmp(raw.data() + at, back.bytes.data() + at, 4), 0);
    }
  }
}

TEST(Lossy, WhatCannotBeIsRefused) {
  RecordLayout layout;
  layout.fields = {{"pc", 4, true}, {"size", 1, false}};
  EXPECT_FALSE(error_bounds(layout, {{"pc", 1}}));
  EXPECT_FALSE(error_bounds(layout, {{"other", 1}}));
  EXPECT_FALSE(error_bounds(layout, {{"size", 128}}));
  EXPECT_EQ(*error_bounds(layout, {{"value", 127}}), (std::vector<uint64_t>{0, 127}));
}

}  // namespace
}  // namespace vestige
