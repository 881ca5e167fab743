// The arithmetic under the models: the vector forms against plain ones, tables against the
// formulas.
#include "codec/entropy/mixer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "codec/entropy/bit_history.h"

namespace vestige::mix {
namespace {

TEST(Logistic, TablesFollowTheFormulas) {
  for (int x = -1200; x <= 1200; ++x)
    EXPECT_NEAR(squash(x) / 65536.0, 1 / (1 + std::exp(-x / 128.0)), 0.0003) << x;
  for (int p = 64; p < 65472; p += 16) {
    const double exact = std::log(p / (65536.0 - p)) * 128;
    EXPECT_NEAR(stretch(static_cast<uint16_t>(p)), exact, 3 + std::abs(exact) * 0.05) << p;
  }
  for (int x = -kMaxStretch; x < kMaxStretch; ++x) EXPECT_LE(squash(x), squash(x + 1));
  EXPECT_GT(squash(-100000), 0u);
  EXPECT_LT(squash(100000), 65536u);
}

TEST(Logistic, LearningStaysWithinBounds) {
  for (int rate = 4; rate <= 7; ++rate) {
    uint16_t p = 32768;
    for (int i = 0; i < 5000; ++i) learn(p, true, rate);
    EXPECT_GT(p, 65000 - (1 << rate));
    for (int i = 0; i < 5000; ++i) learn(p, false, rate);
    EXPECT_LT(p, 536 + (1 << rate));
  }
}

int16_t any(std::mt19937_64& random, int limit) {
  return static_cast<int16_t>(static_cast<int>(random() % (2 * limit + 1)) - limit);
}

TEST(Mixer, VectorsMatchScalars) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20000; ++round) {
    Lanes weights, inputs;
    for (int i = 0; i < 8; ++i) {
      weights[i] = any(random, 32767);
      inputs[i] = any(random, 2047);
    }
    const int16_t error = any(random, 32767);
    const Lanes moved = trained(weights, inputs, error);
    int64_t sum = 0;
    for (int i = 0; i < 8; ++i) {
      sum += weights[i] * inputs[i];
      const int step = (inputs[i] * error + 0x8000) >> 16;
      ASSERT_EQ(moved[i], std::min(std::max(weights[i] + step, -32768), 32767));
    }
    ASSERT_EQ(dot(weights, inputs), sum);
  }
}

TEST(Mixer, LearnsWhomToTrust) {
  Mixer<1> mixer(1, 8);
  std::mt19937_64 random(4);
  uint32_t p = 0;
  for (int i = 0; i < 3000; ++i) {
    const bool bit = random() % 2;
    Lanes inputs = {};
    inputs[0] = bit ? 500 : -500;           // always right
    inputs[1] = random() % 2 ? 500 : -500;  // noise
    p = squash(mixer.mix({inputs}, 0));
    mixer.learn({inputs}, 0, bit, p);
    if (i > 2000) {
      EXPECT_GT(bit ? p : 65536 - p, 64000u);
    }
  }
}

TEST(BitHistory, StepsStayInsideAndLeanTowardsWhatCame) {
  for (int bit = 0; bit < 2; ++bit) {
    uint8_t history = 0;
    for (int i = 0; i < 100; ++i) {
      const uint8_t next = kBitHistories.next[history][bit];
      const int before = kBitHistories.first_guess[history],
                after = kBitHistories.first_guess[next];
      if (bit)
        EXPECT_GE(after, before);
      else
        EXPECT_LE(after, before);
      history = next;
    }
    // Long agreement, then two bits against it: the guess comes back towards the middle.
    const int settled = kBitHistories.first_guess[history];
    history = kBitHistories.next[history][!bit];
    history = kBitHistories.next[history][!bit];
    EXPECT_LT(std::abs(kBitHistories.first_guess[history] - 32768), std::abs(settled - 32768));
  }
}

}  // namespace
}  // namespace vestige::mix
