// One predicted value and how far to trust it, as tables of contexts keep it.
//
// Confidence is a byte: 0 for a place that holds another context's leftovers, else 128 + 16 · c +
// h, where c (0 … 7) grows with every right prediction and drops at a wrong one, and h holds the
// last four outcomes. What a confidence is worth is learnt per predictor (Trust): the share of
// predictions made with it that came true.
#pragma once

#include <array>
#include <cstdint>

#include "codec/mix/logistic.h"
#include "codec/mix/mixer.h"

namespace vestige::mix {

// A type of its own, not a character: stores to it then alias nothing else, and the compiler keeps
// what it has in registers.
enum class Confidence : uint8_t { none = 0, fresh = 128, full = 255 };

struct ConfidenceSteps {
  std::array<std::array<Confidence, 2>, 256> next;  // by confidence and whether it was right
  std::array<bool, 256> weak;                       // a wrong value is replaced at once

  constexpr ConfidenceSteps() : next{}, weak{} {
    for (unsigned now = 0; now < 256; ++now) {
      unsigned count = now >> 4 & 7;
      weak[now] = now < 128 || count < 2;
      for (unsigned right = 0; right < 2; ++right) {
        const unsigned outcomes = (now << 1 | right) & 15;
        const unsigned moved = right ? (count < 7 ? count + 1 : 7) : (count > 3 ? 3 : count / 2);
        next[now][right] = static_cast<Confidence>(now < 128 ? 128 : 128 | moved << 4 | outcomes);
      }
    }
  }
};
inline constexpr ConfidenceSteps kConfidence;
inline Confidence after(Confidence now, bool right) {
  return kConfidence.next[static_cast<uint8_t>(now)][right];
}

// The share of right predictions by confidence, for one predictor, and the same stretched.
class Trust {
 public:
  Trust() {
    share_.fill(32768);
    share_[0] = 500;
    for (size_t i = 0; i < share_.size(); ++i) evidence_[i] = stretch(share_[i]);
  }
  int16_t evidence(Confidence confidence) const {
    return evidence_[static_cast<uint8_t>(confidence)];
  }
  void learn(Confidence confidence, bool right) {
    const auto at = static_cast<uint8_t>(confidence);
    mix::learn(share_[at], right, 7);
    evidence_[at] = stretch(share_[at]);
  }
  // A right prediction of full confidence, the most frequent case: learnt eight at a time.
  void affirm() {
    if (++affirmed_ % 8 != 0) return;
    mix::learn(share_.back(), true, 4);
    evidence_.back() = stretch(share_.back());
  }

 private:
  std::array<uint16_t, 256> share_;
  std::array<int16_t, 256> evidence_;
  uint32_t affirmed_ = 0;
};

// Tells the place that held `value` with `confidence` what came instead, or again.
inline void settle(uint64_t& value, Confidence& confidence, uint64_t actual, Trust& trust) {
  const bool right = value == actual;
  const Confidence before = confidence;
  if (right && before == Confidence::full) [[likely]] {
    trust.affirm();
    return;
  }
  trust.learn(before, right);
  confidence = after(before, right);
  if (!right && kConfidence.weak[static_cast<uint8_t>(before)]) {
    value = actual;
    confidence = Confidence::fresh;
  }
}

// A table place for one prediction of one context.
struct Place {
  uint64_t value = 0;
  uint32_t check = 0;
  Confidence confidence = Confidence::none;

  void claim(uint64_t hash) {
    if (check != static_cast<uint32_t>(hash)) {
      check = static_cast<uint32_t>(hash);
      confidence = Confidence::none;
    }
  }
};

// Evidence for the candidate: of a predictor that proposes it too, or against it, of one that
// proposes something else with confidence.
inline int16_t vote(bool agrees, int16_t evidence) {
  const int16_t against = evidence > 0 ? static_cast<int16_t>(-evidence) : int16_t{0};
  return agrees ? evidence : against;
}

// Bit i of `bits` as all ones or all zeros in lane i.
inline Lanes spread(unsigned bits) {
  constexpr Lanes kBit = {1, 2, 4, 8, 16, 32, 64, 128};
  return (kBit & static_cast<int16_t>(bits)) == kBit;
}
// The same for eight predictors: bit i of `agrees` and of `out` (no say any more) is the i-th's.
inline Lanes votes(Lanes evidence, unsigned agrees, unsigned out) {
  const Lanes positive = evidence > 0;
  const Lanes against = -(evidence & positive);
  const Lanes same = spread(agrees);
  return ((evidence & same) | (against & ~same)) & ~spread(out);
}

}  // namespace vestige::mix
