// Every codec a user can name, through the container and back.
#include <gtest/gtest.h>

#include <random>

#include "archive/compression.h"
#include "archive/decompression.h"
#include "archive/record_cursor.h"
#include "delta_codec.h"

namespace vestige {
namespace {

constexpr const char* kCodecs[] = {"vestige", "vpc",          "vpc2",      "hybrid", "sequitur",
                                   "runs",    "packed",       "fcm2",      "dfcm2",  "last4",
                                   "select",  "last4-stride", "checkpoint"};
constexpr const char* kFormats[] = {"vpc", "cf", "refs", "u64", "record:4,8,1,pc:2,nopc", ""};

// A few loops with strided and repeated data, cut where the size says.
Bytes loops(size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  ByteWriter out;
  out.u32(0x33637076);
  uint64_t address = 0x7fff0000;
  while (out.size() < size) {
    const uint32_t pc = 0x400000 + 16 * (random() % 8);
    const uint64_t step = random() % 3 * 8;
    for (uint64_t i = 0, n = random() % 50; i < n; ++i)
      for (uint32_t k = 0; k < 3; ++k) {
        out.u32(pc + 4 * k);
        out.u64(k == 2 && i % 7 == 0 ? random() : address += step * k);
      }
  }
  out.buffer().resize(size);
  return out.take();
}

class Registered : public testing::TestWithParam<const char*> {};

TEST_P(Registered, RoundTrips) {
  std::mt19937 random(1);
  for (const char* format : kFormats)
    for (const size_t size : {size_t{0}, size_t{3}, size_t{4}, size_t{17}, size_t{40'001},
                              size_t{200'000} + random() % 100}) {
      CompressOptions options;
      options.format = format;
      options.codec = GetParam();
      options.explain = true;
      for (const Bytes& raw : {loops(size, size), trace_like(size, size)}) {
        const Bytes archive = compressed(raw, options, registered_codecs());
        const Decompressed back = decompressed(archive, registered_codecs());
        ASSERT_EQ(back.problem, "") << format << " " << size;
        ASSERT_EQ(back.bytes, raw) << format << " " << size;
      }
    }
}

TEST_P(Registered, AnyNumberOfThreadsMakesTheSameBytes) {
  CompressOptions options;
  options.format = "vpc";
  options.codec = GetParam();
  const Bytes raw = loops(300'000, 4);
  options.threads = 1;
  const Bytes one = compressed(raw, options, registered_codecs());
  options.threads = 2;
  EXPECT_EQ(compressed(raw, options, registered_codecs()), one);
}

INSTANTIATE_TEST_SUITE_P(Codecs, Registered, testing::ValuesIn(kCodecs), [](const auto& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
});

TEST(Registered, EveryLevel) {
  const Bytes raw = loops(120'000, 8);
  for (int level = 1; level <= 9; ++level) {
    CompressOptions options;
    options.format = "vpc";
    options.level = level;
    const Decompressed back =
        decompressed(compressed(raw, options, registered_codecs()), registered_codecs());
    EXPECT_EQ(back.problem, "");
    EXPECT_EQ(back.bytes, raw) << level;
  }
}

TEST_P(Registered, SectionsKnowNothingOfEachOther) {
  const Bytes raw = loops(300'000, 6);
  CompressOptions options;
  options.format = "vpc";
  options.codec = GetParam();
  options.section = 9000;
  options.explain = true;
  const Bytes archive = compressed(raw, options, registered_codecs());
  for (const unsigned threads : {1, 2}) {
    const Decompressed back = decompressed(archive, registered_codecs(), {.threads = threads});
    EXPECT_EQ(back.problem, "");
    EXPECT_EQ(back.bytes, raw);
  }
  MemorySource source(archive);
  auto cursor = RecordCursor::open(source, registered_codecs(), 1);
  ASSERT_TRUE(cursor);
  EXPECT_EQ(cursor->way(), RecordCursor::Way::directory);
  for (const uint64_t at : {20'000, 10, 18'000, 24'000}) {
    ASSERT_TRUE(cursor->seek(at));
    const auto rows = cursor->read(100);
    ASSERT_TRUE(rows);
    EXPECT_TRUE(std::equal(rows->begin(), rows->end(),
                           raw.begin() + static_cast<std::ptrdiff_t>(4 + at * 12)));
  }
}

TEST(Registered, UnknownNamesAreWrongUse) {
  for (const auto& [codec, predictors] : {std::pair{"nosuch", ""}, std::pair{"vpc", "nosuch"}}) {
    CompressOptions options;
    options.format = "vpc";
    options.codec = codec;
    options.predictors = predictors;
    MemorySource source({});
    const auto opened = Compression::open(source, options, registered_codecs());
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, ErrorKind::usage) << opened.error().message;
  }
}

}  // namespace
}  // namespace vestige
