// Probabilities in the logistic domain, where evidence adds up: stretch(p) = ln(p / (1 − p)) in
// units of 1/128, −2047 … 2047, and its inverse squash. Probabilities are 16 bits wide.
//
// The tables are made at start-up from IEEE multiplications and divisions alone, so every machine
// makes the same ones: what one machine compressed, another decompresses.
#pragma once

#include <array>
#include <cstdint>

namespace vestige::mix {

inline constexpr int kMaxStretch = 2047;

struct LogisticTables {
  std::array<int16_t, 4096> stretch;  // by the upper 12 bits of a probability
  std::array<uint16_t, 4096> squash;  // by stretch + 2048; 16 … 65520

  LogisticTables() {
    constexpr double kStep = 1.0078430972064479776934535597601;  // e^(1/128)
    std::array<double, 2048> power;
    power[0] = 1;
    for (size_t i = 1; i < power.size(); ++i) power[i] = power[i - 1] * kStep;
    for (int x = -2048; x < 2048; ++x) {
      const int magnitude = x < 0 ? (x < -kMaxStretch ? kMaxStretch : -x) : x;
      const double odds = power[static_cast<size_t>(magnitude)];
      const double p = x >= 0 ? odds / (1 + odds) : 1 / (1 + odds);
      const int scaled = static_cast<int>(p * 65536);
      squash[static_cast<size_t>(x + 2048)] = static_cast<uint16_t>(scaled < 16      ? 16
                                                                    : scaled > 65520 ? 65520
                                                                                     : scaled);
    }
    int x = -2048;
    for (size_t i = 0; i < stretch.size(); ++i) {
      const int p = static_cast<int>(i) * 16 + 8;
      while (x < kMaxStretch && squash[static_cast<size_t>(x + 2048)] < p) ++x;
      stretch[i] = static_cast<int16_t>(x);
    }
  }
};
inline const LogisticTables kLogistic;

inline int16_t stretch(uint16_t p) { return kLogistic.stretch[p >> 4]; }
inline uint32_t squash(int x) {
  x = x > kMaxStretch ? kMaxStretch : x < -kMaxStretch ? -kMaxStretch : x;
  return kLogistic.squash[static_cast<size_t>(x + 2048)];
}

// Moves a probability towards what happened by 1/2^rate of the way.
inline void learn(uint16_t& p, bool bit, int rate) {
  const int now = p;
  const int miss = static_cast<int>(!bit);
  p = static_cast<uint16_t>(
      now + (((-static_cast<int>(bit) & 65535) - now + (miss << rate) - miss) >> rate));
}

}  // namespace vestige::mix
