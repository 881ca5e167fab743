// Two layers of mixing. In the first, several sets of weights, each chosen by a small context of
// its own, weigh the same evidence (stretched probabilities); in the second, a few more weights
// weigh what the first layer said. Weights learn from every coded bit: Mahoney, "Adaptive weighing
// of context models for lossless data compression", 2005.
//
// Departures: a set of weights starts with long steps that shorten as it is used, since most sets
// see few decisions; and all arithmetic is on integers, the same on every machine. Weights are 32
// bits wide, 2²⁶ being 1.0, so that steps far below what matters to a sum still add up; a sum takes
// their upper halves.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "codec/record/vestige/strong/logistic.h"

namespace vestige::strong {

// Inputs come in groups of eight.
struct alignas(16) InputGroup {
  std::array<int16_t, 8> lane{};
};
struct alignas(16) WeightGroup {
  std::array<int32_t, 8> lane{};
};
template <size_t kGroups>
using Inputs = std::array<InputGroup, kGroups>;
template <size_t kGroups>
using Weights = std::array<WeightGroup, kGroups>;

#if defined(__SSE2__)

template <size_t kGroups>
int weighed(const Weights<kGroups>& weights, const Inputs<kGroups>& inputs) {
  __m128i sum = _mm_setzero_si128();
  for (size_t g = 0; g < kGroups; ++g) {
    const auto* w = reinterpret_cast<const __m128i*>(&weights[g]);
    const __m128i upper = _mm_packs_epi32(_mm_srai_epi32(_mm_load_si128(w), 16),
                                          _mm_srai_epi32(_mm_load_si128(w + 1), 16));
    const __m128i x = _mm_load_si128(reinterpret_cast<const __m128i*>(&inputs[g]));
    sum = _mm_add_epi32(sum, _mm_madd_epi16(upper, x));
  }
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
  return _mm_cvtsi128_si32(sum);
}

template <size_t kGroups>
void adjust(Weights<kGroups>& weights, const Inputs<kGroups>& inputs, int error, int shift) {
  const __m128i factor = _mm_set1_epi16(static_cast<int16_t>(error));
  const __m128i half = _mm_set1_epi32(shift > 0 ? 1 << (shift - 1) : 0);
  const __m128i count = _mm_cvtsi32_si128(shift);
  for (size_t g = 0; g < kGroups; ++g) {
    const __m128i x = _mm_load_si128(reinterpret_cast<const __m128i*>(&inputs[g]));
    const __m128i low = _mm_mullo_epi16(x, factor), high = _mm_mulhi_epi16(x, factor);
    auto* w = reinterpret_cast<__m128i*>(&weights[g]);
    const __m128i first = _mm_sra_epi32(_mm_add_epi32(_mm_unpacklo_epi16(low, high), half), count);
    const __m128i second = _mm_sra_epi32(_mm_add_epi32(_mm_unpackhi_epi16(low, high), half), count);
    _mm_store_si128(w, _mm_add_epi32(_mm_load_si128(w), first));
    _mm_store_si128(w + 1, _mm_add_epi32(_mm_load_si128(w + 1), second));
  }
}

#else

// The same sums, wrapping where the instructions above wrap.
template <size_t kGroups>
int weighed(const Weights<kGroups>& weights, const Inputs<kGroups>& inputs) {
  uint32_t sum = 0;
  for (size_t g = 0; g < kGroups; ++g)
    for (size_t i = 0; i < 8; ++i)
      sum += static_cast<uint32_t>((weights[g].lane[i] >> 16) * inputs[g].lane[i]);
  return static_cast<int>(sum);
}

template <size_t kGroups>
void adjust(Weights<kGroups>& weights, const Inputs<kGroups>& inputs, int error, int shift) {
  const int half = shift > 0 ? 1 << (shift - 1) : 0;
  for (size_t g = 0; g < kGroups; ++g)
    for (size_t i = 0; i < 8; ++i) {
      const int step = (inputs[g].lane[i] * error + half) >> shift;
      weights[g].lane[i] = static_cast<int32_t>(static_cast<uint32_t>(weights[g].lane[i]) +
                                                static_cast<uint32_t>(step));
    }
}

#endif

template <size_t kSelectors>
struct MixerShape {
  std::array<size_t, kSelectors> sets;  // of each first-layer selector: how many sets of weights
  size_t final_sets;
  int first_weight;  // of 65536
  int shift;         // the longer, the slower weights learn
  int haste;         // how many uses a set of weights is hasty for
};

template <size_t kInputs, size_t kSelectors>
class TwoLayerMixer {
 public:
  explicit TwoLayerMixer(const MixerShape<kSelectors>& shape)
      : shift_(shape.shift), haste_(shape.haste) {
    WeightGroup start;
    start.lane.fill(shape.first_weight * 1024);
    Set set;
    set.weights.fill(start);
    for (size_t s = 0; s < kSelectors; ++s) selectors_[s].sets.assign(shape.sets[s], set);
    std::array<int32_t, kSelectors> even;
    even.fill(65536 / static_cast<int>(kSelectors));
    final_.assign(shape.final_sets, even);
  }
  int16_t& input(size_t i) { return inputs_[i / 8].lane[i % 8]; }
  // Chooses a set of weights for one selector, before mix().
  void select(size_t selector, size_t set) {
    selectors_[selector].now = &selectors_[selector].sets[set];
  }
  void select_final(size_t set) { final_now_ = &final_[set]; }
  // The mixed evidence, stretched.
  int mix() {
    int64_t sum = 0;
    for (size_t s = 0; s < kSelectors; ++s) {
      Selector& selector = selectors_[s];
      selector.sum = limited(weighed(selector.now->weights, inputs_) >> 10);
      selector.p = static_cast<int32_t>(squash(selector.sum) >> 16);
      sum += int64_t{(*final_now_)[s]} * selector.sum;
    }
    const int mixed = limited(sum >> 16);
    final_p_ = static_cast<int32_t>(squash(mixed) >> 16);
    return mixed;
  }
  void learn(bool bit) {
    const int goal = bit ? 65535 : 0;
    for (size_t s = 0; s < kSelectors; ++s) {
      Selector& selector = selectors_[s];
      uint32_t& uses = selector.now->uses;
      // The step's length: 16 is one, at first nine times that; powers of two go to the shift.
      int length = 16, shift = shift_;
      if (uses < kMostUses) {
        length += 16 * haste_ / (static_cast<int>(uses) + haste_ / 8 + 1);
        ++uses;
      }
      for (; length >= 32; length >>= 1) --shift;
      const int error = std::clamp((goal - selector.p) * length / 64, -32767, 32767);
      if (error != 0) adjust(selector.now->weights, inputs_, error, std::max(shift, 0));
      int32_t& weight = (*final_now_)[s];
      weight += (selector.sum * (goal - final_p_) + (1 << (kFinalShift - 1))) >> kFinalShift;
      weight = std::clamp(weight, -kMostFinal, kMostFinal);
    }
  }

 private:
  static constexpr size_t kGroups = (kInputs + 7) / 8;
  static constexpr int kFinalShift = 14;
  static constexpr int32_t kMostFinal = 1 << 20;
  static constexpr uint32_t kMostUses = 4096;
  struct Set {
    Weights<kGroups> weights;
    uint32_t uses = 0;
  };
  struct Selector {
    std::vector<Set> sets;
    Set* now = nullptr;
    int sum = 0;
    int32_t p = 0;  // 16 bits
  };

  Inputs<kGroups> inputs_{};
  std::array<Selector, kSelectors> selectors_;
  std::vector<std::array<int32_t, kSelectors>> final_;  // 65536 is 1.0
  std::array<int32_t, kSelectors>* final_now_ = nullptr;
  int32_t final_p_ = 0;
  int shift_, haste_;
};

}  // namespace vestige::strong
