// The corners of arithmetic.h; the rest is compared with the twin.
#include "trace/eval/arithmetic.h"

#include <emmintrin.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace vestige::arithmetic {
namespace {

constexpr uint16_t gap(unsigned bits) { return static_cast<uint16_t>(64 - bits); }

TEST(Arithmetic, WrapsAround) {
  EXPECT_EQ(add::of(255, 1, gap(8)), 0u);
  EXPECT_EQ(sub::of(0, 1, gap(1)), 1u);
  EXPECT_EQ(add32::of(0xffffffff, 2, 0), 1u);
  EXPECT_EQ(mul64::of(uint64_t{1} << 63, 2, 0), 0u);
  EXPECT_EQ(abs_::of(128, 0, gap(8)), 128u);
}

TEST(Arithmetic, Shifts) {
  EXPECT_EQ(shl::of(1, 7, gap(8)), 128u);
  EXPECT_EQ(shl::of(1, 8, gap(8)), 0u);
  EXPECT_EQ(ashr::of(128, 7, gap(8)), 255u);
  EXPECT_EQ(ashr::of(uint64_t{1} << 63, 63, gap(64)), ~uint64_t{0});
  EXPECT_EQ(lshr::of(~uint64_t{0}, 64, gap(64)), 0u);
  EXPECT_EQ(fshl::of(1, 2, 0, gap(8)), 1u);
  EXPECT_EQ(fshr::of(1, 2, 8, gap(8)), 2u);
  EXPECT_EQ(fshl::of(0x81, 0xf0, 4, gap(8)), 0x1fu);
}

TEST(Arithmetic, DivisionHasNoTraps) {
  uint64_t result = 7;
  EXPECT_FALSE(udiv::of(1, 0, gap(32), result));
  EXPECT_FALSE(sdiv::of(128, 255, gap(8), result));
  EXPECT_FALSE(srem::of(uint64_t{1} << 63, ~uint64_t{0}, gap(64), result));
  EXPECT_EQ(result, 7u);
  EXPECT_TRUE(sdiv::of(0xf9, 2, gap(8), result));
  EXPECT_EQ(result, 0xfdu);
}

TEST(Arithmetic, Bits) {
  EXPECT_EQ(ctlz::of(0, 0, gap(16)), 16u);
  EXPECT_EQ(cttz::of(0, 0, gap(16)), 16u);
  EXPECT_EQ(ctlz::of(1, 0, gap(64)), 63u);
  EXPECT_EQ(bswap::of(0x1234, 0, gap(16)), 0x3412u);
  EXPECT_EQ(sext::of(0x80, 0, gap(8) | gap(16) << 6), 0xff80u);
}

TEST(Arithmetic, FloatsKeepTheirBits) {
  const uint64_t odd_nan = 0x7ff0dead'00000001;
  EXPECT_EQ(fneg::of(odd_nan, 0, gap(64)), odd_nan | uint64_t{1} << 63);
  EXPECT_EQ(fabs_::of(0x80000000, 0, gap(32)), 0u);
  EXPECT_EQ(copysign_::of(0, 0x80000000, gap(32)), 0x80000000u);
  const uint64_t nan = bits(std::numeric_limits<double>::quiet_NaN());
  for (uint16_t predicate = 0; predicate < 16; ++predicate)
    EXPECT_EQ(fcmp64::of(nan, nan, predicate), predicate >= 8);
  EXPECT_EQ(fcmp32::of(bits(1.0f), bits(2.0f), 4), 1u);
  EXPECT_EQ(unsigned_to64::of(~uint64_t{0}, 0, gap(64)), bits(0x1p64));
  EXPECT_EQ(signed_to32::of(1, 0, gap(1)), bits(-1.0f));
}

// As the machine converts, whatever fits or does not.
TEST(Arithmetic, WholeNumbers) {
  std::vector<double> numbers = {0.0, -0.0, std::nan(""), HUGE_VAL, -HUGE_VAL, 5e-324};
  for (const double end : {0x1p7, 0x1p8, 0x1p15, 0x1p16, 0x1p31, 0x1p32, 0x1p63, 0x1p64})
    for (const double sign : {1.0, -1.0})
      for (const double by : {-1.0, -0.5, 0.0, 0.5, 1.0})
        for (const double near : {end + by, std::nextafter(end, 0), std::nextafter(end, HUGE_VAL)})
          numbers.push_back(sign * near);
  for (const double number : numbers) {
    const auto single = static_cast<float>(number);
    const __m128d row = _mm_set_sd(number);
    const __m128 single_row = _mm_set_ss(single);
    for (const unsigned width : {8u, 16u, 32u, 64u}) {
      const uint64_t mask = ~uint64_t{0} >> (64 - width);
      const auto wide = static_cast<uint16_t>(gap(width) | 64);
      EXPECT_EQ(whole64::of(bits(number), 0, wide), uint64_t(_mm_cvttsd_si64(row)) & mask);
      EXPECT_EQ(whole32::of(bits(single), 0, wide), uint64_t(_mm_cvttss_si64(single_row)) & mask);
      if (width == 64) continue;
      EXPECT_EQ(whole64::of(bits(number), 0, gap(width)), uint64_t(_mm_cvttsd_si32(row)) & mask);
      EXPECT_EQ(whole32::of(bits(single), 0, gap(width)),
                uint64_t(_mm_cvttss_si32(single_row)) & mask);
    }
  }
}

}  // namespace
}  // namespace vestige::arithmetic
