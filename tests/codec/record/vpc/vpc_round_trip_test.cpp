#include <gtest/gtest.h>

#include "codec/record/vpc/vpc.h"
#include "record_shapes.h"

namespace vestige {
namespace {

// An encoder with its decoder: what goes in must come out.
class RoundTrip {
 public:
  RoundTrip(const RecordLayout& layout, const RecordCodecOptions& options, bool second_stage) {
    auto encoder = make_vpc_encoder(layout, options, second_stage);
    EXPECT_TRUE(encoder) << encoder.error().message;
    encoder_ = std::move(*encoder);
    auto decoder = make_vpc_decoder(layout, encoder_->parameters(), second_stage);
    EXPECT_TRUE(decoder) << decoder.error().message;
    decoder_ = std::move(*decoder);
  }
  // Gives the size in bytes, or -1 when something else came out.
  int64_t run(const RecordBlock& block) {
    const Bytes bytes = encoder_->encode(block);
    RecordBlock read;
    read.rows = block.rows;
    const auto decoded = decoder_->decode(bytes, read);
    if (!decoded) ADD_FAILURE() << decoded.error().message;
    return decoded && read.columns == block.columns ? static_cast<int64_t>(bytes.size()) : -1;
  }

 private:
  std::unique_ptr<RecordEncoder> encoder_;
  std::unique_ptr<RecordDecoder> decoder_;
};

RecordCodecOptions with_range(uint32_t range) {
  RecordCodecOptions options;
  for (int shift = 0; shift < 32; shift += 8) options.preamble.push_back(range >> shift & 0xff);
  return options;
}

class Vpc : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Stages, Vpc, testing::Bool(),
                         [](const auto& info) { return info.param ? "vpc2" : "vpc"; });

TEST_P(Vpc, EveryShapeInEveryLayout) {
  for (const RecordLayout& layout : record_layouts()) {
    for (const RecordShape& shape : record_shapes()) {
      RoundTrip trip(layout, {}, GetParam());
      size_t first = 0;
      for (const size_t rows :
           {size_t{1}, size_t{0}, size_t{2}, size_t{500}, size_t{1}, size_t{100}}) {
        EXPECT_GE(trip.run(shaped_block(layout, shape, rows, first + rows, first)), 0)
            << shape.name << ", " << layout.fields.size() << " fields, " << rows << " rows";
        first += rows;
      }
    }
  }
}

TEST(VpcChoice, ChosenPredictors) {
  for (const char* list : {"stride", "fcm1", "dfcm8.8", "last16", "global", "fcm3,dfcm4,last6",
                           "last1,dfcm1.4,dfcm2.4,dfcm3.2,fcm1,fcm2,global"}) {
    RecordCodecOptions options;
    options.predictors = list;
    for (const RecordLayout& layout : record_layouts())
      for (const RecordShape& shape : record_shapes()) {
        RoundTrip trip(layout, options, false);
        EXPECT_GE(trip.run(shaped_block(layout, shape, 100, 5)), 0) << list << ", " << shape.name;
      }
  }
}

TEST(VpcRange, PcsOutsideTheRange) {
  for (const uint32_t range : {0u, 1u, 2u, 5u, 1000u, 0x33637076u, 0xffffffffu})
    for (const RecordShape& shape : record_shapes())
      for (const RecordLayout& layout : {vpc_layout(), record_layouts()[1], record_layouts()[7]}) {
        RoundTrip trip(layout, with_range(range), false);
        EXPECT_GE(trip.run(shaped_block(layout, shape, 100, range)), 0)
            << range << ", " << shape.name;
      }
}

TEST_P(Vpc, FullBlocks) {
  RoundTrip trip(vpc_layout(), {}, GetParam());
  for (const size_t rows : {kVpcBlockRows, kVpcBlockRows, size_t{5}})
    EXPECT_GE(trip.run(shaped_block(vpc_layout(), record_shapes()[6], rows, rows)), 0);
}

// More PCs than the numbered ones.
TEST_P(Vpc, VeryManyPcs) {
  RoundTrip trip(vpc_layout(), {}, GetParam());
  const RecordShape shape{"all different", [](size_t row, size_t field, auto&) {
                            return field == 0 ? row * 40503 : row % 3000 * 8;
                          }};
  EXPECT_GE(trip.run(shaped_block(vpc_layout(), shape, 150'000, 1)), 0);
}

// A code of one bit each for PC and data is the least: 96 bits become 2 (section 6.1.2).
TEST(VpcRatio, ConstantTraceTendsTo48) {
  RoundTrip trip(vpc_layout(), {}, false);
  RoundTrip second(vpc_layout(), {}, true);
  int64_t bytes = 0, second_bytes = 0;
  const RecordBlock block = shaped_block(vpc_layout(), record_shapes()[0], kVpcBlockRows, 0);
  for (int i = 0; i < 8; ++i) {
    bytes += trip.run(block);
    second_bytes += second.run(block);
  }
  const double raw = 8.0 * kVpcBlockRows * 12;
  EXPECT_GT(raw / static_cast<double>(bytes), 47.9);
  EXPECT_LE(raw / static_cast<double>(bytes), 48);
  EXPECT_GT(raw / static_cast<double>(second_bytes), 20'000);
}

// A missed PC takes as many bits as the range calls for, besides its code.
TEST(VpcRatio, MissedPcsCostTheRangesBits) {
  const RecordLayout layout{{{"pc", 4, true}}};
  const RecordShape shape{"random", [](size_t, size_t, auto& random) { return random() % 4096; }};
  const RecordBlock block = shaped_block(layout, shape, 100'000, 1);
  const double bits_of_4096 =
      static_cast<double>(RoundTrip(layout, with_range(4096), false).run(block)) * 8;
  const double bits_of_all = static_cast<double>(RoundTrip(layout, {}, false).run(block)) * 8;
  EXPECT_NEAR(bits_of_4096 / 100'000, 13, 0.3);
  EXPECT_NEAR(bits_of_all / 100'000, 33, 0.3);
}

TEST(VpcRatio, PatternsOfThePredictors) {
  const std::tuple<const char*, const char*, RecordShape> cases[] = {
      {"stride",
       "strides",
       {"", [](size_t row, size_t f, auto&) { return f == 0 ? 16 : row * 24; }}},
      {"fcm3",
       "a period",
       {"", [](size_t row, size_t f, auto&) { return f == 0 ? 16 : row % 7 * row % 7; }}},
      {"dfcm3",
       "a period of strides",
       {"", [](size_t row, size_t f,
               auto&) { return f == 0 ? 16 : row / 5 * 1000 + row % 5 * (row % 5); }}},
      {"last4",
       "four values at random",
       {"",
        [](size_t, size_t f, auto& random) { return f == 0 ? 16 : random() % 4 * 0x123456789; }}},
  };
  for (const auto& [list, what, shape] : cases) {
    RecordCodecOptions options;
    options.predictors = std::string("pc=stride;data=") + list;
    const RecordBlock block = shaped_block(vpc_layout(), shape, 100'000, 1);
    const int64_t bytes = RoundTrip(vpc_layout(), options, false).run(block);
    EXPECT_GT(bytes, 0);
    // One bit for the PC and at most three for the choice of four values.
    EXPECT_LT(bytes, 100'000 * (std::string(list) == "last4" ? 4 : 2.1) / 8)
        << list << " on " << what;
  }
}

// A million small blocks of all layouts and shapes.
TEST(VpcMany, SmallBlocks) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  constexpr size_t kCases = 50'000;
#else
  constexpr size_t kCases = 1'000'000;
#endif
#endif
  constexpr size_t kPerPair = 5000;
  std::mt19937_64 random(11);
  const char* lists[] = {"", "", "stride,fcm2,dfcm1.2", "last3,global", "dfcm3.3"};
  for (size_t done = 0; done < kCases; done += kPerPair) {
    const RecordLayout& layout = record_layouts()[random() % record_layouts().size()];
    RecordCodecOptions options =
        random() % 2 == 0 ? with_range(1 << random() % 32) : RecordCodecOptions{};
    options.predictors = lists[random() % std::size(lists)];
    RoundTrip trip(layout, options, done / kPerPair % 10 == 9);
    for (size_t i = 0; i < kPerPair; ++i) {
      const RecordShape& shape = record_shapes()[random() % record_shapes().size()];
      ASSERT_GE(trip.run(shaped_block(layout, shape, random() % 6, random(), random() % 1000)), 0);
    }
  }
}

}  // namespace
}  // namespace vestige
