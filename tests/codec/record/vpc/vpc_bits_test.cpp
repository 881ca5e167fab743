// The bits of codec vpc, read by a slow decoder that follows docs/codecs.md word by word: naive
// predictors, lines from a map, one field after the other.
#include <gtest/gtest.h>

#include <map>

#include "codec/entropy/adaptive_huffman.h"
#include "codec/record/vpc/vpc.h"
#include "naive_predictors.h"
#include "record_shapes.h"

namespace vestige {
namespace {

struct Biased {
  const char* name;
  std::vector<uint32_t> frequencies;  // at the start, one per prediction
};

// Section "vpc" of docs/codecs.md.
const std::vector<Biased> kPcPredictors = {{"stride", {4}},
                                           {"fcm6", {24}},
                                           {"dfcm4.2", {32, 8}},
                                           {"dfcm5.4", {40, 10, 2, 1}},
                                           {"dfcm6.2", {48, 12}}};
const std::vector<Biased> kDataPredictors = {{"last6", {1, 1, 1, 1, 1, 1}},
                                             {"stride", {4}},
                                             {"fcm1", {4}},
                                             {"fcm2", {8}},
                                             {"fcm3", {12}},
                                             {"fcm6", {24}},
                                             {"dfcm1.4", {8, 2, 1, 1}},
                                             {"dfcm2.4", {16, 4, 1, 1}},
                                             {"dfcm3.2", {24, 6}},
                                             {"dfcm4", {32}},
                                             {"dfcm6.4", {48, 12, 3, 1}},
                                             {"global", {1}}};

class NaiveField {
 public:
  NaiveField(const std::vector<Biased>& list, unsigned width, uint32_t lines, unsigned range_bits,
             bool escapes)
      : width_(width),
        range_bits_(range_bits),
        codes_(frequencies(list, escapes)),
        lengths_(std::vector<uint32_t>(8 * width, 1)) {
    for (const Biased& biased : list) {
      predictors_.push_back(make_naive_predictor(biased.name, lines, width));
      none_ += static_cast<unsigned>(biased.frequencies.size());
    }
  }

  uint64_t decode(uint32_t line, vpc::BitReader& in) {
    std::vector<uint64_t> predictions;
    for (auto& predictor : predictors_)
      for (const uint64_t prediction : predictor->predict(line)) predictions.push_back(prediction);
    const unsigned code = next(codes_, in);
    uint64_t value = 0;
    if (code < none_) {
      value = predictions[code];
    } else if (code > none_) {
      value = in.get(8 * width_);
    } else if (range_bits_ > 0) {
      value = in.get(range_bits_);
    } else {
      value = predictions[next(codes_, in)];
      const unsigned length = next(lengths_, in) + 1;
      const bool negative = in.bit() == 1;
      const uint64_t magnitude = (uint64_t{1} << (length - 1)) + in.get(length - 1);
      value = negative ? value - magnitude : value + magnitude;
      if (width_ < 8) value %= uint64_t{1} << 8 * width_;
    }
    for (auto& predictor : predictors_) predictor->update(line, value);
    return value;
  }

 private:
  static std::vector<uint32_t> frequencies(const std::vector<Biased>& list, bool escapes) {
    std::vector<uint32_t> all;
    for (const Biased& biased : list)
      all.insert(all.end(), biased.frequencies.begin(), biased.frequencies.end());
    all.push_back(1);
    if (escapes) all.push_back(1);
    return all;
  }
  static unsigned next(vpc::AdaptiveHuffman& codes, vpc::BitReader& in) {
    const unsigned symbol = codes.get(in);
    codes.count(symbol);
    return symbol;
  }
  unsigned width_, range_bits_, none_ = 0;
  std::vector<std::unique_ptr<NaivePredictor>> predictors_;
  vpc::AdaptiveHuffman codes_, lengths_;
};

TEST(VpcBits, SlowDecoderReadsThem) {
  const RecordLayout layout{{{"pc", 4, true}, {"data", 8, false}, {"size", 2, false}}};
  for (const bool ranged : {false, true})
    for (const RecordShape& shape : record_shapes()) {
      RecordCodecOptions options;
      if (ranged) options.preamble = {0, 4, 1, 0};  // 66,560: 17 bits
      auto encoder = make_vpc_encoder(layout, options, false);
      ASSERT_TRUE(encoder);
      NaiveField pc(kPcPredictors, 4, 1, ranged ? 17 : 32, ranged);
      NaiveField data(kDataPredictors, 8, 16384, 0, false),
          size(kDataPredictors, 2, 16384, 0, false);
      std::map<uint64_t, uint32_t> numbers;
      for (const size_t rows : {1000, 0, 500}) {
        const RecordBlock block = shaped_block(layout, shape, rows, rows);
        const Bytes bytes = (*encoder)->encode(block);
        vpc::BitReader in(bytes);
        for (size_t row = 0; row < rows; ++row) {
          const uint64_t at = pc.decode(0, in);
          ASSERT_EQ(at, block.columns[0][row]) << shape.name << ", row " << row;
          const uint32_t line = numbers.try_emplace(at, numbers.size()).first->second % 16384;
          ASSERT_EQ(data.decode(line, in), block.columns[1][row]) << shape.name << ", row " << row;
          ASSERT_EQ(size.decode(line, in), block.columns[2][row]) << shape.name << ", row " << row;
        }
        EXPECT_TRUE(in.finish());
      }
    }
}

}  // namespace
}  // namespace vestige
