// A value as a few yes-or-no decisions: "is it this candidate?", the most credible one first.
//
// Every predictor has a slot (slots.h) with up to three candidates. The distinct ones are
// ranked by the odds their predictors give them, added up. For each in turn, every predictor is a
// tally: it proposes the candidate (as its first, second or third), or something else, or only
// what has been ruled out already. How often the answer was yes when this predictor stood like
// that, its slot being in this state, is a Share; the stretched shares are mixed (mixer.h)
// and refined into the probability the answer is coded with. After kTries times "no" the value is
// left to the literal coder.
//
//   value := no* yes | no* literal      a literal after kTries times no, or when candidates run out
//
// Cost: per decision one visit to a table of shares per predictor, and the mixing.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "codec/record/vestige/strong/mixer.h"
#include "codec/record/vestige/strong/refinement.h"
#include "codec/record/vestige/strong/slots.h"

namespace vestige::strong {

struct Guess {
  CandidateSlot* slot;
  uint64_t base;  // added to the slot's values
};

inline constexpr size_t kMostTelling = 8;  // predictors whose agreement selects weights

// How much a candidate's rank owes to a predictor that gives it probability p: about its odds.
inline constexpr std::array<uint16_t, 256> kCredit = [] {
  std::array<uint16_t, 256> credit{};
  for (unsigned i = 0; i < 256; ++i)
    credit[i] = static_cast<uint16_t>(256 * (2 * i + 1) / (2 * 261 - 2 * i - 1));
  return credit;
}();

// `kSelectors`: how many sets of weights are mixed, 2 … 4.
template <size_t kPredictors, size_t kTries, size_t kSelectors>
class GuessCoder {
 public:
  static constexpr size_t kNone = kPredictors;
  using Guesses = std::array<Guess, kPredictors>;

  // `telling`: the predictors whose agreement selects weights.
  explicit GuessCoder(std::vector<size_t> telling)
      : telling_(std::move(telling)),
        mixer_({.sets = selector_sets(telling_.size()),
                .final_sets = 16 * kRanks,
                .first_weight = 65536 * 3 / 20,
                .shift = 5,
                .haste = 256}),
        by_place_(1024 * kRanks),
        by_history_(256 * kRanks) {
    for (auto& predictor : shares_) {
      for (unsigned state = 0; state < 256; ++state) {
        const unsigned level = state >> 4;
        predictor[0][state] = Probability::of(2 * level + 1, 2 * level + 3);
        predictor[1][state] = predictor[2][state] = predictor[kOther][state] =
            Probability::of(1, 5);
        predictor[kSpent][state] = Probability::of(3, 10);
      }
    }
  }

  // Codes `value` (or, decoding, sets it) and gives the predictor to be credited, or kNone: then
  // the value is yet to be coded. `place` is a hash of where in the program this is.
  template <class Coder>
  size_t code(Coder& coder, const Guesses& guesses, uint64_t place, uint64_t mask,
              uint64_t& value) {
    gather(guesses, mask);
    uint64_t out = 0;
    for (size_t tries = 0; tries < std::min(kTries, count_); ++tries) {
      const size_t candidate = most_credible(out);
      const size_t rank = std::min(tries, kRanks - 1);
      const uint32_t p = probability(guesses, candidate, out, rank, place);
      const bool yes = coder.code(candidates_[candidate].value == value, p);
      learn(yes);
      if (rank == 0) history_ = static_cast<uint8_t>(history_ << 1 | yes);
      if (yes) {
        value = candidates_[candidate].value;
        return candidates_[candidate].proposer;
      }
      out |= uint64_t{1} << candidate;
    }
    return kNone;
  }

 private:
  static constexpr size_t kRanks = 4;
  static constexpr size_t kOther = kCandidates, kSpent = kCandidates + 1, kStands = kCandidates + 2;
  static constexpr size_t kMostCandidates = 64;
  static constexpr uint32_t kShareLimit = 127;
  static std::array<size_t, kSelectors> selector_sets(size_t telling) {
    const std::array<size_t, 4> all = {256 * kRanks, size_t{2} << telling, 16 * kRanks * 8,
                                       256 * kRanks};
    std::array<size_t, kSelectors> sets;
    std::copy_n(all.begin(), kSelectors, sets.begin());
    return sets;
  }
  struct Candidate {
    uint64_t value;
    uint32_t credit;
    uint32_t best;  // the largest part of it, and whose that is
    size_t proposer;
  };

  void gather(const Guesses& guesses, uint64_t mask) {
    count_ = 0;
    for (size_t k = 0; k < kPredictors; ++k) {
      const CandidateSlot& slot = *guesses[k].slot;
      for (size_t j = 0; j < kCandidates; ++j) {
        if (slot.count[j] == 0) break;
        const uint32_t credit = kCredit[shares_[k][j][slot.state(j)].probability() >> 24];
        number_[k][j] = propose((slot.value[j] + guesses[k].base) & mask, credit, k);
      }
    }
  }
  uint8_t propose(uint64_t value, uint32_t credit, size_t predictor) {
    size_t i = 0;
    while (i < count_ && candidates_[i].value != value) ++i;
    if (i == count_) {
      if (count_ == kMostCandidates) return kMostCandidates;  // never asked about
      candidates_[count_++] = {value, credit, credit, predictor};
    } else {
      Candidate& known = candidates_[i];
      known.credit += credit;
      if (credit > known.best) known.best = credit, known.proposer = predictor;
    }
    return static_cast<uint8_t>(i);
  }
  size_t most_credible(uint64_t out) const {
    size_t best = kMostCandidates;
    for (size_t i = 0; i < count_; ++i) {
      if (out >> i & 1) continue;
      if (best == kMostCandidates || candidates_[i].credit > candidates_[best].credit) best = i;
    }
    return best;
  }

  uint32_t probability(const Guesses& guesses, size_t candidate, uint64_t out, size_t rank,
                       uint64_t place) {
    uint64_t agree = 0;
    size_t votes = 0;
    for (size_t k = 0; k < kPredictors; ++k) {
      const CandidateSlot& slot = *guesses[k].slot;
      int16_t& sure = mixer_.input(2 * k);
      int16_t& even = mixer_.input(2 * k + 1);
      if (slot.count[0] == 0) {
        asked_[k] = nullptr;
        sure = even = 0;
        continue;
      }
      size_t stand = kSpent, shown = 0;
      for (size_t j = kCandidates; j-- > 0;) {
        if (slot.count[j] == 0) continue;
        if (number_[k][j] == candidate) {
          stand = shown = j;
          break;
        }
        if (number_[k][j] == kMostCandidates || !(out >> number_[k][j] & 1)) {
          stand = kOther;
          shown = j;
        }
      }
      agree |= uint64_t{stand < 2} << k;
      votes += stand < kCandidates;
      Probability& share = shares_[k][stand][slot.state(shown)];
      asked_[k] = &share;
      const uint32_t p = share.probability();
      sure = static_cast<int16_t>(stretch(p));
      even = static_cast<int16_t>(static_cast<int>(p >> 20) - 2048);
    }
    mixer_.input(2 * kPredictors) = 256;

    size_t pattern = 0;
    for (size_t i = 0; i < telling_.size(); ++i) pattern |= (agree >> telling_[i] & 1) << i;
    const size_t left = std::min<size_t>(count_ - rank - 1, 7);
    votes = std::min<size_t>(votes, 15);
    mixer_.select(0, (place >> 56) * kRanks + rank);
    mixer_.select(1, pattern * 2 + (rank > 0));
    if constexpr (kSelectors > 2) mixer_.select(2, (votes * kRanks + rank) * 8 + left);
    if constexpr (kSelectors > 3) mixer_.select(3, history_ * kRanks + rank);
    mixer_.select_final(rank * 16 + votes);
    const int mixed = mixer_.mix();
    const uint32_t placed = by_place_.refined(mixed, (place >> 54) * kRanks + rank);
    const uint32_t lately = by_history_.refined(mixed, history_ * kRanks + rank);
    return squash(mixed) / 2 + placed / 4 + lately / 4;
  }
  void learn(bool yes) {
    mixer_.learn(yes);
    by_place_.learn(yes);
    by_history_.learn(yes);
    for (Probability* share : asked_)
      if (share != nullptr) share->learn(yes, kShareLimit);
  }

  std::vector<size_t> telling_;
  TwoLayerMixer<2 * kPredictors + 1, kSelectors> mixer_;
  Refinement by_place_, by_history_;
  std::array<std::array<std::array<Probability, 256>, kStands>, kPredictors> shares_;
  uint8_t history_ = 0;  // whether the first tries were right lately

  // Of the value at hand.
  size_t count_ = 0;
  std::array<Candidate, kMostCandidates> candidates_;
  std::array<std::array<uint8_t, kCandidates>, kPredictors> number_;
  std::array<Probability*, kPredictors> asked_;
};

}  // namespace vestige::strong
