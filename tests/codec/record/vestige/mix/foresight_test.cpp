// Groups of safe rows against a row-by-row count, and every position in a group through the coder.
#include "codec/record/vestige/mix/foresight.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "codec/entropy/range_coder.h"

namespace vestige::mix {
namespace {

template <unsigned kSafeAfter>
void expect_safe_again_after_a_failure() {
  Foresight state = after<kSafeAfter>(0, true);
  EXPECT_TRUE(state & kSafe);
  state = after<kSafeAfter>(state, false);
  for (unsigned i = 1; i < kSafeAfter; ++i) {
    state = after<kSafeAfter>(state, true);
    EXPECT_FALSE(state & kSafe) << i;
  }
  EXPECT_TRUE(after<kSafeAfter>(state, true) & kSafe);
}

TEST(Foresight, ARowIsSafeOnceForeseenAndSomeTimesAfterAFailure) {
  expect_safe_again_after_a_failure<3>();
  expect_safe_again_after_a_failure<10>();
  expect_safe_again_after_a_failure<15>();
}

TEST(Foresight, GroupsEndAtTheFirstRowThatIsNotSafe) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 5000; ++round) {
    const size_t size = 1 + random() % 300;
    std::vector<Foresight> states(size + 8);
    for (Foresight& state : states) state = random() % 60 ? kSafe : 0;
    const auto limit = static_cast<uint32_t>(1 + random() % size);
    const auto period = static_cast<uint32_t>(1 + random() % 200);
    uint32_t expected = 0;
    while (expected < std::min(limit, kGroupRows) && states[expected % period] == kSafe) ++expected;
    EXPECT_EQ(group_rows(states.data(), limit, period), expected);
  }
}

TEST(Foresight, EveryPlaceInEveryGroupComesBack) {
  RangeEncoder encoder;
  GroupModel writing;
  for (uint32_t rows = 1; rows <= kGroupRows; ++rows)
    for (uint32_t right = 0; right <= rows; ++right) writing.code(encoder, right, rows, right % 8);
  const Bytes bytes = encoder.finish();
  RangeDecoder decoder(bytes);
  GroupModel reading;
  for (uint32_t rows = 1; rows <= kGroupRows; ++rows)
    for (uint32_t right = 0; right <= rows; ++right)
      ASSERT_EQ(reading.code(decoder, 0, rows, right % 8), right);
}

}  // namespace
}  // namespace vestige::mix
