// Fine arithmetic coding: bits come back whatever their probabilities, a sure bit is nearly free,
// and squash and stretch undo each other.
#include "codec/record/vestige/strong/coder.h"

#include <gtest/gtest.h>

#include <random>

#include "codec/record/vestige/strong/logistic.h"

namespace vestige::strong {
namespace {

TEST(FineCoder, BitsComeBack) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::pair<bool, uint32_t>> bits(random() % 500);
    const unsigned kind = random() % 4;
    FineEncoder encoder;
    for (auto& [bit, p] : bits) {
      p = kind == 0   ? static_cast<uint32_t>(random())
          : kind == 1 ? 400
          : kind == 2 ? ~400u
                      : 1u << 31;
      p = std::max(p, 1u);
      bit = kind == 3 ? random() % 2 : random() % (uint64_t{1} << 32) < p;
      if (random() % 50 == 0) bit = !bit;
      encoder.code(bit, p);
    }
    const Bytes bytes = encoder.finish();
    FineDecoder decoder(bytes);
    for (const auto& [bit, p] : bits) ASSERT_EQ(decoder.code(false, p), bit);
    EXPECT_FALSE(decoder.overran());
  }
}

// Bits that are always as predicted leave zeros behind: however many, none is missed.
TEST(FineCoder, APayloadThatEndsInZerosIsWhole) {
  for (const uint32_t p : {1u << 31, 3u << 30, ~(1u << 20), ~400u}) {
    for (const int bits : {1, 100, 1000, 100000}) {
      FineEncoder encoder;
      encoder.code(false, 1u << 31);
      for (int i = 0; i < bits; ++i) encoder.code(true, p);
      const Bytes bytes = encoder.finish();
      FineDecoder decoder(bytes);
      EXPECT_FALSE(decoder.code(false, 1u << 31));
      for (int i = 0; i < bits; ++i) ASSERT_TRUE(decoder.code(false, p));
      EXPECT_FALSE(decoder.overran()) << p << " " << bits;
    }
  }
}

TEST(FineCoder, SureBitsAreNearlyFree) {
  FineEncoder encoder;
  for (int i = 0; i < 1000000; ++i) encoder.code(true, ~400u);
  EXPECT_LE(encoder.finish().size(), 1u);
}

TEST(FineCoder, ADecoderThatRunsOutSaysSo) {
  FineDecoder decoder({});
  for (int i = 0; i < 1000; ++i) decoder.code(false, 1u << 31);
  EXPECT_TRUE(decoder.overran());
}

TEST(FineLogistic, StretchUndoesSquash) {
  for (int x = -kMaxStretch; x <= kMaxStretch; ++x) {
    EXPECT_NEAR(stretch(squash(x)), x, 2) << x;
    if (x > -kMaxStretch) EXPECT_GE(squash(x), squash(x - 1));
  }
  EXPECT_EQ(squash(-5000), squash(-kMaxStretch));
  EXPECT_EQ(squash(5000), squash(kMaxStretch));
}

TEST(Probability, MeansFirstAndFollowsLater) {
  Probability share;
  for (int i = 0; i < 1000; ++i) share.learn(true, 127);
  EXPECT_GT(share.probability(), squash(500));
  for (int i = 0; i < 1000; ++i) share.learn(false, 127);
  EXPECT_LT(share.probability(), squash(-500));
}

}  // namespace
}  // namespace vestige::strong
