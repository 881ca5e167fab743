// The range coder: any bits under any probabilities come back, and cost what they should.
#include "codec/entropy/range_coder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace vestige::mix {
namespace {

struct Decision {
  bool bit;
  uint32_t p;
  bool level;
};

std::vector<Decision> random_decisions(std::mt19937_64& random, size_t count) {
  std::vector<Decision> decisions(count);
  const uint64_t kind = random() % 4;
  for (Decision& decision : decisions) {
    switch (kind) {
      case 0:
        decision.p = 1 + random() % 65535;
        break;
      case 1:
        decision.p = 65520;
        break;
      case 2:
        decision.p = 16;
        break;
      default:
        decision.p = random() % 2 ? 65535 : 1;
        break;
    }
    // Mostly as predicted, sometimes the dearest thing that can happen.
    decision.bit = random() % 16 == 0 ? random() % 2 : random() % 65536 < decision.p;
    decision.level = random() % 2;
  }
  return decisions;
}

TEST(RangeCoder, AnyBitsComeBack) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    const auto decisions = random_decisions(random, random() % 200);
    RangeEncoder encoder;
    for (const Decision& d : decisions)
      d.level ? encoder.code_level(d.bit, d.p) : encoder.code(d.bit, d.p);
    const Bytes bytes = encoder.finish();
    RangeDecoder decoder(bytes);
    for (size_t i = 0; i < decisions.size(); ++i) {
      const Decision& d = decisions[i];
      ASSERT_EQ(d.level ? decoder.code_level(false, d.p) : decoder.code(false, d.p), d.bit)
          << "round " << round << " bit " << i;
    }
    ASSERT_FALSE(decoder.overran());
  }
}

TEST(RangeCoder, CostsTheEntropy) {
  std::mt19937_64 random(2);
  RangeEncoder encoder;
  double ideal = 0;
  for (int i = 0; i < 1000000; ++i) {
    const uint32_t p = 1 + random() % 65535;
    const bool bit = random() % 65536 < p;
    encoder.code(bit, p);
    ideal -= std::log2((bit ? p : 65536 - p) / 65536.0);
  }
  EXPECT_NEAR(static_cast<double>(encoder.finish().size()) * 8, ideal, ideal * 0.0005);
}

TEST(RangeCoder, CarriesRunThroughManyBytes) {
  // Zeros under p = 1 add almost the whole range each time: low stays near its top.
  RangeEncoder encoder;
  std::vector<bool> bits;
  for (int i = 0; i < 5000; ++i) bits.push_back(i % 977 == 976);
  for (const bool bit : bits) encoder.code(bit, 1);
  const Bytes bytes = encoder.finish();
  RangeDecoder decoder(bytes);
  for (const bool bit : bits) ASSERT_EQ(decoder.code(false, 1), bit);
}

TEST(RangeCoder, ShortInputIsNoticed) {
  RangeEncoder encoder;
  for (int i = 0; i < 10000; ++i) encoder.code(i % 2, 32768);
  Bytes bytes = encoder.finish();
  bytes.resize(bytes.size() / 2);
  RangeDecoder decoder(bytes);
  for (int i = 0; i < 10000; ++i) decoder.code(false, 32768);
  EXPECT_TRUE(decoder.overran());
}

}  // namespace
}  // namespace vestige::mix
