// A column on its own: PCs, control-flow events, or any stream without a PC beside it. Each value
// is predicted from those before it.
//
// Stage A asks two long contexts, the last 7 and the last 21 values (and, with kDeltas, what step
// followed the last two steps). Its best candidate is right most of the time, and then nothing else
// is looked at. Stage B adds contexts of the last 1, 2, 3 and 5 values and tries up to four
// candidates, the most trusted first. What is left is a literal.
//
// Every yes or no ("is it this candidate?") is coded with a probability mixed from what each
// predictor that proposes the candidate, or another one, was worth in the past.
//
// Long contexts are kept as running sums that shift out old values: h = (h << s) + hash(value)
// remembers the last 64 / s values.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/mix/hashing.h"
#include "codec/mix/literal.h"
#include "codec/mix/mixer.h"
#include "codec/mix/prediction.h"
#include "codec/mix/range_coder.h"
#include "codec/mix/witness.h"

namespace vestige::mix {

struct SequenceSizes {
  unsigned long_bits = 16, short_bits = 15, literal_bits = 14;  // log2 of the tables
};

template <class Coder, bool kDeltas>
class SequenceModel {
 public:
  explicit SequenceModel(const SequenceSizes& sizes, uint64_t mask)
      : mask_(mask),
        long_shift_(64 - sizes.long_bits),
        short_shift_(64 - sizes.short_bits),
        stage_a_(1024, 2),
        stage_b_(kTries * 256, 3),
        literals_(sizes.literal_bits),
        hit_rate_(4096, {32768, 32768, 32768, 32768}) {
    for (size_t k = 0; k < kPredictors; ++k)
      tables_[k].resize(size_t{1} << (is_long(k) ? sizes.long_bits : sizes.short_bits));
  }

  // Codes the values, or fills them in.
  void run(Coder& coder, ColumnOf<Coder> values, Witness* witness) {
    for (auto& value : values) {
      const uint64_t coded = step(coder, value, witness);
      if constexpr (Coder::kDecoding) value = coded;
    }
  }

  static std::vector<const char*> predictor_names() {
    if constexpr (kDeltas)
      return {"order7", "order21", "stride2", "order1", "order2", "order3", "order5"};
    else
      return {"order7", "order21", "order1", "order2", "order3", "order5"};
  }

 private:
  static constexpr size_t kStageA = kDeltas ? 3 : 2;
  static constexpr size_t kPredictors = kStageA + 4;
  static constexpr size_t kTries = 4;
  static constexpr uint32_t kSure = 65300;  // right again: nothing to learn
  static constexpr bool is_long(size_t k) { return k < kStageA; }

  // The hash of the values that predictor k looks at.
  uint64_t context_hash(size_t k) const {
    if (k < 2) return hashed(sums_[k]);
    if (kDeltas && k == 2) return hashed((last_ - before_) * kHashB + hashed(before_ - third_ + 5));
    constexpr std::array<unsigned, 4> kOrders = {1, 2, 3, 5};
    uint64_t sum = 0;
    for (unsigned i = 0; i < kOrders[k - kStageA]; ++i)
      sum = std::rotl(sum, 17) + recent_[(count_ - 1 - i) % recent_.size()];
    return hashed(sum);
  }
  Place& open(size_t k) {
    const uint64_t hash = context_hash(k);
    Place& place = tables_[k][hash >> (is_long(k) ? long_shift_ : short_shift_)];
    place.claim(hash);
    return place;
  }
  uint64_t base(size_t k) const { return kDeltas && k == 2 ? last_ : 0; }
  void propose(size_t k, Place& place) {
    place_[k] = &place;
    candidate_[k] = (place.value + base(k)) & mask_;
    evidence_[k] = trust_[k].evidence(place.confidence);
  }

  uint64_t step(Coder& coder, uint64_t value, Witness* witness) {
    const uint64_t here = recent_[(count_ - 1) % recent_.size()];
    auto& rate = hit_rate_[here >> 52];
    Place& shorter = open(0);
    Place& longer = open(1);
    // In variables of their own: what is written piece by piece and read as a vector stalls.
    const uint64_t c0 = shorter.value, c1 = longer.value;
    const int16_t e0 = trust_[0].evidence(shorter.confidence);
    const int16_t e1 = trust_[1].evidence(longer.confidence);
    size_t best = e1 > e0;
    uint64_t favourite = e1 > e0 ? c1 : c0;
    int16_t third = 0;
    if constexpr (kDeltas) {
      propose(2, open(2));
      if (evidence_[2] > (e1 > e0 ? e1 : e0)) {
        best = 2;
        favourite = candidate_[2];
      }
      third = vote(candidate_[2] == favourite, evidence_[2]);
    }
    const bool first = c0 == favourite, second = c1 == favourite;
    const Mixer<1>::Inputs inputs = {
        Lanes{vote(first, e0), vote(second, e1), third, stretch(rate[0]), 256, 0, 0, 0}};
    const size_t set = (first + 2u * second) * 256 + (outcomes_ & 15) * 16 + (here >> 60);
    const uint32_t p = squash(stage_a_.mix(inputs, set));
    bool tried = false;
    if (p >= 32768) [[likely]] {
      const bool hit = coder.code(value == favourite, p);
      if (!hit || p < kSure) {
        stage_a_.learn(inputs, set, hit, p);
        learn(rate[0], hit, 5);
      }
      outcomes_ = outcomes_ << 1 | hit;
      if (hit) [[likely]] {
        if (witness) [[unlikely]]
          witness->saw(0, best);
        settle(shorter.value, shorter.confidence, favourite, trust_[0]);
        settle(longer.value, longer.confidence, favourite, trust_[1]);
        if constexpr (kDeltas) settle_from(2, favourite);
        advance(favourite);
        return favourite;
      }
      tried = true;
    }
    propose(0, shorter);
    propose(1, longer);
    value = step_b(coder, value, favourite, tried, here, rate, witness);
    for (size_t k = 0; k < kPredictors; ++k) settle_from(k, value);
    advance(value);
    return value;
  }

  [[gnu::noinline]] uint64_t step_b(Coder& coder, uint64_t value, uint64_t favourite, bool tried,
                                    uint64_t here, std::array<uint16_t, 4>& rate,
                                    Witness* witness) {
    for (size_t k = kStageA; k < kPredictors; ++k) propose(k, open(k));
    const Lanes evidence = {evidence_[0],
                            evidence_[1],
                            evidence_[2],
                            evidence_[3],
                            evidence_[4],
                            evidence_[5],
                            kDeltas ? evidence_[kPredictors - 1] : int16_t{0},
                            0};
    unsigned out = 0;  // predictors whose candidate was refused already
    for (size_t k = 0; k < kPredictors; ++k)
      out |= static_cast<unsigned>(tried && candidate_[k] == favourite) << k;
    for (size_t attempt = 0; attempt < kTries; ++attempt) {
      int best = -1;
      for (size_t k = 0; k < kPredictors; ++k) {
        if (!(out >> k & 1) && (best < 0 || evidence_[k] > evidence_[static_cast<size_t>(best)]))
          best = static_cast<int>(k);
      }
      if (best < 0) break;
      const uint64_t candidate = candidate_[static_cast<size_t>(best)];
      unsigned agree = 0;
      for (size_t k = 0; k < kPredictors; ++k)
        agree |= static_cast<unsigned>(candidate_[k] == candidate) << k;
      uint16_t& hits = rate[1 + std::min<size_t>(attempt, 2)];
      const Mixer<1>::Inputs inputs = {
          votes(evidence, agree, out) |
          Lanes{0, 0, 0, 0, 0, 0, kDeltas ? int16_t{0} : int16_t{256}, stretch(hits)}};
      const size_t set = attempt * 256 + (here >> 56);
      const uint32_t p = squash(stage_b_.mix(inputs, set));
      const bool hit = coder.code(value == candidate, p);
      stage_b_.learn(inputs, set, hit, p);
      learn(hits, hit, 5);
      if (hit) {
        if (witness) witness->saw(0, static_cast<size_t>(best));
        return candidate;
      }
      out |= agree;
    }
    if (witness) witness->saw(0, witness->none());
    return literals_.code(coder, value, hashed(last_ + 99), last_, last_shape_) & mask_;
  }

  void settle_from(size_t k, uint64_t value) {
    settle(place_[k]->value, place_[k]->confidence, (value - base(k)) & mask_, trust_[k]);
  }
  void advance(uint64_t value) {
    const uint64_t hash = hashed(value + 1);
    sums_[0] = (sums_[0] << 9) + hash;
    sums_[1] = (sums_[1] << 3) + hash;
    recent_[count_++ % recent_.size()] = hash;
    third_ = before_;
    before_ = last_;
    last_ = value;
  }

  uint64_t mask_;
  unsigned long_shift_, short_shift_;
  Mixer<1> stage_a_, stage_b_;
  LiteralModel<Coder> literals_;
  std::vector<std::array<uint16_t, 4>>
      hit_rate_;  // by the value before: stage A, then attempts of B
  std::array<std::vector<Place>, kPredictors> tables_;
  std::array<Trust, kPredictors> trust_;
  std::array<uint64_t, 2> sums_{};    // of the last 7 and 21 values
  std::array<uint64_t, 8> recent_{};  // hashes of the last values, a ring
  uint64_t count_ = 8;                // of values, and 8
  uint64_t last_ = 0, before_ = 0, third_ = 0;
  unsigned outcomes_ = 0;
  uint8_t last_shape_ = 0;
  // The predictors opened for the value at hand.
  std::array<Place*, kPredictors> place_{};
  std::array<uint64_t, kPredictors> candidate_{};
  std::array<int16_t, kPredictors> evidence_{};
};

}  // namespace vestige::mix
