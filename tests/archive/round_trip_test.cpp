// What goes in comes out, whatever the format, the length and the block size.
#include <gtest/gtest.h>

#include <random>

#include "delta_codec.h"

namespace vestige {
namespace {

constexpr const char* kFormats[] = {
    "vpc", "cf", "refs", "u64", "record:4,8", "u8", "record:skip:5,3,7,pc:1", "record:8,8,nopc",
    ""};

TEST(RoundTrip, EveryFormatAndEveryTail) {
  for (const char* format : kFormats)
    for (const int level : {1, 5}) {
      CompressOptions options;
      options.format = format;
      options.level = level;
      // Around nothing, the preamble, a block, and several blocks of the largest record.
      for (const size_t around : {0, 4, 17 * 7, 12 * 320 + 4, 3000})
        for (size_t size = around; size <= around + 17; ++size) {
          const Bytes raw = trace_like(size, size * 31 + level);
          const Decompressed back = decompressed(compressed(raw, options));
          ASSERT_EQ(back.problem, "") << format << " " << size;
          ASSERT_EQ(back.bytes, raw) << format << " " << size;
        }
    }
}

TEST(RoundTrip, RandomSizes) {
  std::mt19937 random(11);
  for (int i = 0; i < 200; ++i) {
    CompressOptions options;
    options.format = kFormats[random() % std::size(kFormats)];
    options.level = 1 + random() % 9;
    const Bytes raw = trace_like(random() % 60'000, random());
    const Decompressed back = decompressed(compressed(raw, options));
    ASSERT_EQ(back.problem, "");
    ASSERT_EQ(back.bytes, raw) << options.format << " " << raw.size();
  }
}

// A source that gives no size and a byte less than asked for looks like a pipe does.
class Pipe final : public ByteSource {
 public:
  explicit Pipe(ByteView bytes) : memory_(bytes) {}
  Result<size_t> read(std::span<uint8_t> out) override { return memory_.read(out); }
  uint64_t size() const override { return 0; }
  const std::string& name() const override { return name_; }

 private:
  MemorySource memory_;
  std::string name_ = "standard input";
};

TEST(RoundTrip, APipeGivesTheSameBytesAsAFile) {
  const Bytes raw = trace_like(40'001, 3);
  CompressOptions options;
  options.format = "vpc";
  Pipe pipe(raw);
  auto compression = Compression::open(pipe, options, delta_codecs());
  ASSERT_TRUE(compression);
  MemorySink sink;
  ASSERT_TRUE(compression->run(sink));
  EXPECT_EQ(sink.bytes(), compressed(raw, options));
  Pipe packed(sink.bytes());
  auto decompression = Decompression::open(packed, {}, delta_codecs());
  ASSERT_TRUE(decompression);
  MemorySink back;
  ASSERT_TRUE(decompression->run(back));
  EXPECT_EQ(back.bytes(), raw);
}

TEST(RoundTrip, ReportsCountsAndPredictors) {
  const Bytes raw = trace_like(4 + 12 * 1000 + 3, 1);
  MemorySource source(raw);
  CompressOptions options;
  options.format = "vpc";
  options.explain = true;
  uint64_t seen = 0;
  options.progress = [&](uint64_t in, uint64_t, uint64_t total) {
    EXPECT_GE(in, seen);
    EXPECT_EQ(total, raw.size());
    seen = in;
  };
  auto compression = Compression::open(source, options, delta_codecs());
  MemorySink sink;
  const auto report = compression->run(sink);
  ASSERT_TRUE(report);
  EXPECT_EQ(seen, raw.size());
  EXPECT_EQ(report->records, 1000u);
  EXPECT_EQ(report->codec, "vestige");
  EXPECT_EQ(report->format, "vpc");
  ASSERT_EQ(report->predictors.size(), 2u);
  EXPECT_EQ(report->predictors[1].field, "data");
  EXPECT_EQ(report->predictors[1].counts[0] + report->predictors[1].counts[1], 1000u);
}

TEST(RoundTrip, WrongUse) {
  const auto refused = [](const char* format, const char* codec, const char* predictors,
                          int level) {
    CompressOptions options;
    options.format = format;
    options.codec = codec;
    options.predictors = predictors;
    options.level = level;
    MemorySource source({});
    const auto compression = Compression::open(source, options, delta_codecs());
    return !compression && compression.error().kind == ErrorKind::usage;
  };
  EXPECT_TRUE(refused("nonsense", "", "", 5));
  EXPECT_TRUE(refused("", "nonsense", "", 5));
  EXPECT_TRUE(refused("", "vestige", "fcm1", 5));
  EXPECT_FALSE(refused("", "", "fcm1", 5));
  EXPECT_TRUE(refused("", "", "", 0));
  EXPECT_TRUE(refused("", "", "", 10));
}

}  // namespace
}  // namespace vestige
