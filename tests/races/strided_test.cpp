// Runs of addresses against the addresses themselves.
#include "query/races/strided.h"

#include <gtest/gtest.h>

#include <random>

namespace vestige::races {
namespace {

struct Plain {
  uint64_t count = 0;
  std::optional<uint64_t> first;
};

Plain plain(const StridedInterval& a, const StridedInterval& b) {
  Plain result;
  for (uint64_t i = 0; i < a.count; ++i)
    for (uint64_t j = 0; j < b.count; ++j) {
      const uint64_t x = a.start + i * a.stride, y = b.start + j * b.stride;
      if (x >= y + b.bytes || y >= x + a.bytes) continue;
      ++result.count;
      const uint64_t at = std::max(x, y);
      if (!result.first || at < *result.first) result.first = at;
    }
  return result;
}

TEST(StridedInterval, MeetingsAreThoseOfTheAddresses) {
  std::mt19937 random(7);
  const auto below = [&](uint32_t n) { return random() % n; };
  const auto run = [&] {
    StridedInterval s{1000 + below(200), 0, 1 + below(30), 1 + below(below(4) == 0 ? 40 : 8)};
    if (s.count > 1) s.stride = 1 + below(below(2) == 0 ? 8 : 60);
    return s;
  };
  for (int round = 0; round < 200'000; ++round) {
    const StridedInterval a = run(), b = run();
    const Plain expected = plain(a, b);
    ASSERT_EQ(meetings(a, b), expected.count) << round;
    ASSERT_EQ(first_meeting(a, b), expected.first) << round;
    const Hits found = hits(a, b.start, b.start + b.bytes - 1);
    ASSERT_EQ(found.end - found.begin, plain(a, {b.start, 0, 1, b.bytes}).count) << round;
  }
}

TEST(StridedInterval, LongRunsTakeNoLonger) {
  const StridedInterval rows{0x7f0000000000, 8, uint64_t{1} << 32, 8},
      columns{0x7f0000000000, 24, uint64_t{1} << 30, 8};
  EXPECT_EQ(meetings(rows, columns), uint64_t{1} << 30);
  const StridedInterval odd{0x7f0000000004, 8, uint64_t{1} << 32, 4},
      even{0x7f0000000000, 8, uint64_t{1} << 32, 4};
  EXPECT_EQ(meetings(odd, even), 0u);
  EXPECT_EQ(first_meeting(odd, even), std::nullopt);
}

}  // namespace
}  // namespace vestige::races
