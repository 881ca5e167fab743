// A column whose values follow from the ones before them: the PCs, or the only column there is.
//
// Contexts: the last 1 … 32 values; what followed the last value on its latest occurrences (a
// branch's own history) and for how many of them in a row it was the same (a loop's count); where a
// long stretch of values came up before. A column that is not the PC's has more: differences, for
// numbers, and, for control-flow events (docs/codecs.md, `cf`), the events of the same activation,
// whatever was called in between.
//
// Coded row by row, "values" are whole rows: what the PC's column is followed by depends on the
// field beside it, as the target of an indirect branch tells where the next one is.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/record/prediction_tally.h"
#include "codec/record/vestige/strong/coder.h"
#include "codec/record/vestige/strong/guesses.h"
#include "codec/record/vestige/strong/level.h"
#include "codec/record/vestige/strong/literal.h"
#include "codec/record/vestige/strong/match.h"
#include "codec/record/vestige/strong/nesting.h"

namespace vestige::strong {

enum SequenceKind : uint8_t {
  kAfter1,
  kAfter4,
  kAfter11,
  kAfter22,
  kOrders,
  kSuccessors = kOrders,
  kRepeats,
  kRepeatedStretch,
  kStepAfter1,
  kStepAfter2,
  kActivation1,
  kActivation2,
  kActivation4,
  kSequenceKinds,
};
inline constexpr std::array<const char*, kSequenceKinds> kSequenceNames = {
    "last 1", "last 4",       "last 11",       "last 22",      "successors",   "repeats",
    "match",  "1 difference", "2 differences", "activation 1", "activation 2", "activation 4"};

// The kinds of a level, for the PC's column and for a single one.
template <int kLevel>
struct SequencePlan;
template <>
struct SequencePlan<7> {
  static constexpr std::array kPc = {kAfter1, kAfter4, kAfter22, kRepeatedStretch};
  static constexpr std::array kSingle = {kAfter1,          kAfter4,     kAfter22,
                                         kRepeatedStretch, kStepAfter1, kActivation4};
  static constexpr size_t kTries = 3;
  static constexpr size_t kSelectors = 2;
  using Literals = LiteralCoder<2, 2, 1>;
};
template <>
struct SequencePlan<8> {
  static constexpr std::array kPc = {kAfter1, kAfter4, kAfter11, kAfter22, kRepeatedStretch};
  static constexpr std::array kSingle = {kAfter1,     kAfter4,      kAfter11,
                                         kAfter22,    kRepeats,     kRepeatedStretch,
                                         kStepAfter1, kActivation2, kActivation4};
  static constexpr size_t kTries = 4;
  static constexpr size_t kSelectors = 3;
  using Literals = LiteralCoder<2, 2, 2>;
};
template <>
struct SequencePlan<9> {
  static constexpr std::array kPc = {kAfter1,     kAfter4,  kAfter11,        kAfter22,
                                     kSuccessors, kRepeats, kRepeatedStretch};
  static constexpr std::array kSingle = {kAfter1,     kAfter4,      kAfter11,         kAfter22,
                                         kSuccessors, kRepeats,     kRepeatedStretch, kStepAfter1,
                                         kStepAfter2, kActivation1, kActivation2,     kActivation4};
  static constexpr size_t kTries = 6;
  static constexpr size_t kSelectors = 4;
  using Literals = LiteralCoder<3, 3, 3>;
};

template <int kLevel, bool kIsPc>
class SequenceColumn {
 public:
  static constexpr auto kKinds = [] {
    if constexpr (kIsPc)
      return SequencePlan<kLevel>::kPc;
    else
      return SequencePlan<kLevel>::kSingle;
  }();

  SequenceColumn(const Sizes& sizes, unsigned width)
      : mask_(mask_of(width)),
        guesses_(telling()),
        literals_(sizes.lines, width),
        matches_(sizes.rows, 16),
        successors_(sizes.places) {
    for (size_t i = 0; i < kPredictors; ++i) tables_.emplace_back(sizes.slots);
  }
  static std::vector<const char*> predictor_names() {
    std::vector<const char*> names;
    for (const SequenceKind kind : kKinds) names.push_back(kSequenceNames[kind]);
    return names;
  }

  // Codes a block's values, or, decoding, fills them in. `beside`: the field beside each value, or
  // empty.
  template <class Coder>
  void code(Coder& coder, ColumnOf<Coder> values, std::span<const uint64_t> beside,
            PredictionTally* tally) {
    for (size_t i = 0; i < values.size(); ++i) {
      uint64_t value = values[i];
      const size_t predictor = code_value(coder, value);
      if constexpr (Coder::kDecoding) values[i] = value;
      append(value, beside.empty() ? 0 : hashed(beside[i]) * kHashB);
      if (tally != nullptr) tally->saw(kIsPc ? value : 0, predictor);
    }
  }
  // The same row by row, for a decoder that learns the field beside only after the value.
  template <class Coder>
  void code_row(Coder& coder, uint64_t& value) {
    code_value(coder, value);
  }
  void leave_row(uint64_t value, uint64_t beside) { append(value, hashed(beside) * kHashB); }

 private:
  static constexpr std::array<int, kOrders> kShifts = {64, 16, 6, 3};
  static constexpr size_t kPredictors = kKinds.size();
  static std::vector<size_t> telling() {
    std::vector<size_t> positions;
    for (size_t i = 0; i < kPredictors; ++i)
      if (positions.size() < kMostTelling) positions.push_back(i);
    return positions;
  }
  using Literals = typename SequencePlan<kLevel>::Literals;
  using Plan = SequencePlan<kLevel>;
  using Guesses = GuessCoder<kPredictors, Plan::kTries, Plan::kSelectors>;
  struct Successors {
    uint64_t latest;   // of a value: 12 bits of each successor's hash, the last one lowest
    uint64_t repeats;  // how many of them are the same, and how many were before
  };

  template <class Coder>
  size_t code_value(Coder& coder, uint64_t& value) {
    const uint64_t place = hashed(last_[0] + 1) + beside_;
    followed_ = &successors_.at_hash(place);
    find_slots(place);
    const size_t predictor = guesses_.code(coder, now_, place, mask_, value);
    if (predictor == kPredictors) {
      typename Literals::Context context;
      context.place = place;
      std::copy_n(std::array{last_[0], last_[1], 2 * last_[0] - last_[1]}.begin(),
                  context.references.size(), context.references.begin());
      std::copy_n(std::array{after3_, after2_, orders_[kAfter4]}.begin(), context.hashes.size(),
                  context.hashes.begin());
      value = literals_.code(coder, value, context) & mask_;
    }
    for (const Guess& guess : now_)
      if (guess.slot != &match_) guess.slot->learn((value - guess.base) & mask_);
    return predictor;
  }

  uint64_t context(SequenceKind kind, uint64_t place) const {
    const uint64_t step = last_[0] - last_[1], step_before = last_[1] - last_[2];
    switch (kind) {
      case kSuccessors:
        return combined(place + last_[1] * kHashB, followed_->latest);
      case kRepeats:
        return combined(place, followed_->repeats);
      case kStepAfter1:
        return combined(step, 1);
      case kStepAfter2:
        return combined(step, step_before);
      case kActivation1:
      case kActivation2:
      case kActivation4:
        return nesting_.context(static_cast<size_t>(kind - kActivation1));
      default:
        return orders_[kind];
    }
  }
  void find_slots(uint64_t place) {
    std::array<uint64_t, kPredictors> at;
    for (size_t i = 0; i < kPredictors; ++i) {
      if (kKinds[i] == kRepeatedStretch) continue;
      at[i] = hashed(context(kKinds[i], place) + kKinds[i] * kHashB);
      tables_[i].prefetch(at[i]);
    }
    for (size_t i = 0; i < kPredictors; ++i) {
      const SequenceKind kind = kKinds[i];
      if (kind == kRepeatedStretch) {
        match_ = CandidateSlot{};
        if (matches_.found()) {
          match_.value[0] = matches_.proposed();
          match_.count[0] = matches_.length();
          match_.outcomes[0] = matches_.outcomes();
        }
        now_[i] = {&match_, 0};
      } else {
        const bool of_step = kind >= kStepAfter1 && kind <= kStepAfter2;
        now_[i] = {&tables_[i].find(at[i]), of_step ? last_[0] : 0};
      }
    }
  }

  void append(uint64_t value, uint64_t beside) {
    const uint64_t hash = hashed(value + 1) + beside;
    const uint64_t short_hash = hash >> 52;
    if ((followed_->latest & 0xfff) == short_hash)
      ++followed_->repeats;
    else
      followed_->repeats = followed_->repeats << 32;
    followed_->latest = followed_->latest << 12 | short_hash;
    for (size_t i = 0; i < kOrders; ++i)
      orders_[i] = (kShifts[i] == 64 ? 0 : orders_[i] << kShifts[i]) + hash * (2 * i + 1);
    after2_ = (after2_ << 32) + hash;
    after3_ = (after3_ << 22) + hash;
    if constexpr (!kIsPc) nesting_.append(value, hash);
    matches_.append(hash, value, hashed(orders_[kAfter22]));
    last_ = {value, last_[0], last_[1]};
    beside_ = beside;
  }

  uint64_t mask_;
  Guesses guesses_;
  Literals literals_;
  MatchModel matches_;
  BigTable<Successors> successors_;
  std::vector<SlotTable> tables_;
  std::array<uint64_t, kOrders> orders_{};
  uint64_t after2_ = 0, after3_ = 0;
  std::array<uint64_t, 3> last_{};  // the latest first
  uint64_t beside_ = 0;             // a hash of the field beside the last value
  Nesting nesting_;

  // Of the value at hand.
  Successors* followed_ = nullptr;
  typename Guesses::Guesses now_;
  CandidateSlot match_{};
};

}  // namespace vestige::strong
