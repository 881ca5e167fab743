// Fine probabilities in the logistic domain, as mix/logistic.h has them for coarse ones:
// probabilities are 32 bits wide, stretch(p) = ln(p / (1 − p)) in units of 1/128, −2047 … 2047 (one
// in nine million), and squash its inverse.
//
// The tables are made at start-up from IEEE multiplications and divisions alone, so every machine
// makes the same ones.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace vestige::strong {

inline constexpr int kMaxStretch = 2047;
inline int limited(int64_t x) {
  return static_cast<int>(x > kMaxStretch ? kMaxStretch : x < -kMaxStretch ? -kMaxStretch : x);
}

struct FineLogistic {
  static constexpr int kMantissa = 7;  // bits that tell apart probabilities of the same magnitude
  std::array<uint32_t, 4096> squash;   // by stretch + 2048
  // Of probabilities up to ½, by magnitude and mantissa.
  std::array<int16_t, 32 << kMantissa> stretch;
  FineLogistic();
};
extern const FineLogistic kLogistic;

inline uint32_t squash(int x) { return kLogistic.squash[static_cast<size_t>(limited(x) + 2048)]; }

inline int stretch(uint32_t p) {
  const bool likely = p >> 31;
  const uint32_t least = (likely ? ~p : p) | 1;
  const int zeros = std::countl_zero(least);
  const uint32_t mantissa =
      (least << zeros) >> (31 - FineLogistic::kMantissa) & ((1u << FineLogistic::kMantissa) - 1);
  const int x = kLogistic.stretch[static_cast<size_t>(zeros << FineLogistic::kMantissa) | mantissa];
  return likely ? -x : x;
}

// How often something was true: a probability (22 bits) and the number of times it was asked
// (10 bits), which sets the step: first the plain mean, then, from `limit` on, a sliding one.
class Probability {
 public:
  Probability() = default;
  static constexpr Probability of(uint64_t part, uint64_t whole) {
    return Probability(static_cast<uint32_t>(part * kOne / whole) << kCountBits);
  }
  uint32_t probability() const { return value_ | ((1u << kCountBits) - 1); }
  void learn(bool bit, uint32_t limit) {
    const uint32_t count = value_ & ((1u << kCountBits) - 1);
    const int64_t now = value_ >> kCountBits;
    const int64_t goal = bit ? kOne : 0;
    int64_t next = now + ((goal - now) * kSteps[count] >> 16);
    next = next < 1 ? 1 : next > kOne - 1 ? kOne - 1 : next;
    value_ = static_cast<uint32_t>(next) << kCountBits | (count < limit ? count + 1 : count);
  }

 private:
  static constexpr int kCountBits = 10;
  static constexpr int64_t kOne = (1 << 22) - 1;
  static constexpr std::array<uint32_t, 1 << kCountBits> kSteps = [] {
    std::array<uint32_t, 1 << kCountBits> steps{};
    for (uint32_t n = 0; n < steps.size(); ++n) steps[n] = 655360 / (10 * n + 16);  // 1 / (n + 1.6)
    return steps;
  }();
  constexpr explicit Probability(uint32_t value) : value_(value) {}
  uint32_t value_ = uint32_t{1} << 31;
};

}  // namespace vestige::strong
