#include "codec/record/vestige/strong/logistic.h"

namespace vestige::strong {

FineLogistic::FineLogistic() {
  constexpr double kStep = 1.0078430972064479776934535597601;  // e^(1/128)
  constexpr double kWhole = 4294967296.0;
  std::array<double, 2048> power;
  power[0] = 1;
  for (size_t i = 1; i < power.size(); ++i) power[i] = power[i - 1] * kStep;
  for (int x = -2048; x < 2048; ++x) {
    const int magnitude = x < 0 ? -limited(x) : x;
    const double odds = power[static_cast<size_t>(magnitude)];
    const double p = x >= 0 ? odds / (1 + odds) : 1 / (1 + odds);
    squash[static_cast<size_t>(x + 2048)] = static_cast<uint32_t>(p * kWhole);
  }
  // Cells run from ½ downwards; so does x.
  int x = 0;
  for (int zeros = 0; zeros < 32; ++zeros) {
    for (int mantissa = (1 << kMantissa) - 1; mantissa >= 0; --mantissa) {
      const uint64_t middle = ((uint64_t{1} << kMantissa | static_cast<uint64_t>(mantissa)) * 2 + 1)
                                  << 32 >>
                              (kMantissa + 2 + zeros);
      while (x > -kMaxStretch && squash[static_cast<size_t>(x + 2048)] > middle) --x;
      stretch[static_cast<size_t>(zeros << kMantissa | mantissa)] = static_cast<int16_t>(x);
    }
  }
}

const FineLogistic kLogistic;

}  // namespace vestige::strong
