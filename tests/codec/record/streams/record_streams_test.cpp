// Records through stream codecs, and the registry of record codecs.
#include <gtest/gtest.h>

#include "../../stream/shapes.h"
#include "codec/record_codec.h"
#include "codec/stream_codec.h"

namespace vestige {
namespace {

const RecordLayout kLayout = {{{"pc", 4, true}, {"data", 8, false}, {"kind", 1, false}}};

RecordBlock make_block(Random& random, size_t rows) {
  RecordBlock block{rows, {}};
  block.columns.push_back(generate(rows, [&](size_t i) { return 0x401000 + i * 7 % 50; }));
  block.columns.push_back(shapes()[random() % shapes().size()].make(random, rows));
  block.columns.push_back(generate(rows, [&](size_t) { return random() % 3; }));
  return block;
}

class RecordStreams : public testing::TestWithParam<const char*> {};

TEST_P(RecordStreams, BlocksRoundTrip) {
  Random random(40);
  RecordCodecOptions options;
  const auto codec = record_codec_named(GetParam(), options);
  ASSERT_TRUE(codec);
  ASSERT_EQ(*codec, RecordCodec::streams);
  auto encoder = make_record_encoder(*codec, kLayout, options);
  ASSERT_TRUE(encoder);
  auto decoder = make_record_decoder(*codec, kLayout, (*encoder)->parameters(), 1);
  ASSERT_TRUE(decoder);
  for (const size_t rows : {0, 1, 17, 5000}) {
    const RecordBlock block = make_block(random, rows);
    const Bytes bytes = (*encoder)->encode(block);
    RecordBlock back{rows, {}};
    const auto decoded = (*decoder)->decode(bytes, back);
    ASSERT_TRUE(decoded) << decoded.error().message;
    ASSERT_EQ(back.columns, block.columns);
  }
}

TEST_P(RecordStreams, DamageIsAnError) {
  Random random(41);
  RecordCodecOptions options;
  const auto codec = record_codec_named(GetParam(), options);
  auto encoder = make_record_encoder(*codec, kLayout, options);
  const RecordBlock block = make_block(random, 400);
  const Bytes bytes = (*encoder)->encode(block);
  for (int i = 0; i < 300; ++i) {
    Bytes damaged = bytes;
    damaged[random() % damaged.size()] ^= static_cast<uint8_t>(1 + random() % 255);
    if (i % 3 == 0) damaged.resize(random() % damaged.size());
    auto decoder = make_record_decoder(*codec, kLayout, (*encoder)->parameters(), 1);
    ASSERT_TRUE(decoder);
    RecordBlock back{400, {}};
    if ((*decoder)->decode(damaged, back)) {
      for (const uint64_t value : back.columns[2]) ASSERT_LT(value, 256u);
    }
  }
  auto decoder = make_record_decoder(*codec, kLayout, (*encoder)->parameters(), 1);
  RecordBlock other{399, {}};
  EXPECT_FALSE((*decoder)->decode(bytes, other));
}

INSTANTIATE_TEST_SUITE_P(Names, RecordStreams,
                         testing::Values("select", "packed", "checkpoint", "fcm2", "dfcm3", "last4",
                                         "last8-stride", "runs", "sequitur"));

TEST(RecordCodecRegistry, Names) {
  RecordCodecOptions options;
  EXPECT_EQ(*record_codec_named("vestige", options), RecordCodec::vestige);
  EXPECT_EQ(*record_codec_named("vpc", options), RecordCodec::vpc);
  EXPECT_EQ(*record_codec_named("vpc2", options), RecordCodec::vpc2);
  EXPECT_EQ(*record_codec_named("sequitur", options), RecordCodec::streams);
  EXPECT_EQ(options.stream_codec, "sequitur");
  EXPECT_EQ(*record_codec_named("select", options), RecordCodec::streams);
  EXPECT_EQ(options.stream_codec, "");
  const auto unknown = record_codec_named("zip", options);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::usage);
  EXPECT_NE(unknown.error().message.find("last8-stride"), std::string::npos);
}

TEST(RecordCodecRegistry, LayoutsThatMakeNoSense) {
  for (const RecordLayout& layout :
       {RecordLayout{}, RecordLayout{{{"a", 9, false}}}, RecordLayout{{{"a", 0, false}}},
        RecordLayout{{{"a", 4, true}, {"b", 4, true}}}}) {
    const auto encoder = make_record_encoder(RecordCodec::streams, layout, {});
    ASSERT_FALSE(encoder);
    EXPECT_EQ(encoder.error().kind, ErrorKind::usage);
  }
  RecordCodecOptions options;
  options.stream_codec = "zip";
  EXPECT_FALSE(make_record_encoder(RecordCodec::streams, kLayout, options));
  EXPECT_FALSE(make_record_decoder(static_cast<RecordCodec>(9), kLayout, {}, 1));
}

TEST(RecordCodecRegistry, EveryCodecRoundTrips) {
  Random random(42);
  for (const char* name : {"vestige", "vpc", "vpc2", "select"}) {
    SCOPED_TRACE(name);
    RecordCodecOptions options;
    const auto codec = record_codec_named(name, options);
    auto encoder = make_record_encoder(*codec, kLayout, options);
    ASSERT_TRUE(encoder) << encoder.error().message;
    auto decoder = make_record_decoder(*codec, kLayout, (*encoder)->parameters(), 1);
    ASSERT_TRUE(decoder) << decoder.error().message;
    for (int i = 0; i < 3; ++i) {
      const RecordBlock block = make_block(random, 2000);
      const Bytes bytes = (*encoder)->encode(block);
      RecordBlock back{2000, {}};
      const auto decoded = (*decoder)->decode(bytes, back);
      ASSERT_TRUE(decoded) << decoded.error().message;
      ASSERT_EQ(back.columns, block.columns);
    }
  }
}

}  // namespace
}  // namespace vestige
