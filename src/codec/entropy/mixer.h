// Mixes up to eight (or sixteen …) pieces of evidence, stretched probabilities, into one: a dot
// product with weights that learn from every coded bit which evidence to trust. One set of weights
// is chosen per decision by a small context.
//
// All arithmetic is on 16-bit integers, exactly the same on every machine; a set of eight is one
// SSE register. A weight of 1.0 is 8192.
#pragma once

#include <array>
#include <cstdint>
#include <vector>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "codec/entropy/logistic.h"

namespace vestige::mix {

// Eight 16-bit lanes.
using Lanes = int16_t __attribute__((vector_size(16)));

#ifdef __SSE2__
inline int dot(Lanes a, Lanes b) {
  __m128i sum = _mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
  return _mm_cvtsi128_si32(sum);
}
// weights + round(inputs · error / 2^16), saturating.
inline Lanes trained(Lanes weights, Lanes inputs, int16_t error) {
  const __m128i x = reinterpret_cast<__m128i>(inputs), e = _mm_set1_epi16(error);
  const __m128i round = _mm_srli_epi16(_mm_mullo_epi16(x, e), 15);
  const __m128i step = _mm_add_epi16(_mm_mulhi_epi16(x, e), round);
  return reinterpret_cast<Lanes>(_mm_adds_epi16(reinterpret_cast<__m128i>(weights), step));
}
#else
inline int dot(Lanes a, Lanes b) {
  int sum = 0;
  for (int i = 0; i < 8; ++i) sum += a[i] * b[i];
  return sum;
}
inline Lanes trained(Lanes weights, Lanes inputs, int16_t error) {
  for (int i = 0; i < 8; ++i) {
    const int sum = weights[i] + ((inputs[i] * error + 0x8000) >> 16);
    weights[i] = static_cast<int16_t>(sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum);
  }
  return weights;
}
#endif

template <size_t kGroups>  // of eight inputs
class Mixer {
 public:
  using Inputs = std::array<Lanes, kGroups>;

  // `spread`: how many inputs the first weights expect to agree.
  Mixer(size_t sets, int spread) {
    Inputs start;
    for (Lanes& lanes : start) lanes = Lanes{} + static_cast<int16_t>(8192 / spread);
    weights_.assign(sets, start);
  }
  // The mixed evidence, stretched.
  int mix(const Inputs& inputs, size_t set) const {
    int sum = 0;
    for (size_t g = 0; g < kGroups; ++g) sum += dot(inputs[g], weights_[set][g]);
    sum >>= 13;
    return sum > kMaxStretch ? kMaxStretch : sum < -kMaxStretch ? -kMaxStretch : sum;
  }
  // `p` is the probability the bit was coded with.
  void learn(const Inputs& inputs, size_t set, bool bit, uint32_t p) {
    const int error = ((bit ? 65535 : 0) - static_cast<int>(p)) * 5 >> 3;
    const int16_t limited = static_cast<int16_t>(error > 32767    ? 32767
                                                 : error < -32768 ? -32768
                                                                  : error);
    for (size_t g = 0; g < kGroups; ++g)
      weights_[set][g] = trained(weights_[set][g], inputs[g], limited);
  }

 private:
  std::vector<Inputs> weights_;
};

}  // namespace vestige::mix
