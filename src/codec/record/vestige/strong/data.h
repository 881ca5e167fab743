// A column beside the PC's: values that belong to instructions.
//
// Contexts are made of the instruction, the path (path.h: where the program came from and, when
// known, where it goes next, which says much about the value that sent it there), the instruction's
// own last values and their differences, the column's last values whatever instruction they came
// from, and the row's earlier field; each leads to values, or to differences from the instruction's
// last value, from one of the column's last ones, or from the earlier field. Beside them: long
// repeats (match.h), values of some rows ago (echo.h) and steady differences (relation.h).
//
// Cost: a cache line or two per predictor and row, and the decisions (guesses.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/record/prediction_tally.h"
#include "codec/record/vestige/strong/coder.h"
#include "codec/record/vestige/strong/data_kinds.h"
#include "codec/record/vestige/strong/echo.h"
#include "codec/record/vestige/strong/guesses.h"
#include "codec/record/vestige/strong/level.h"
#include "codec/record/vestige/strong/literal.h"
#include "codec/record/vestige/strong/match.h"
#include "codec/record/vestige/strong/path.h"
#include "codec/record/vestige/strong/relation.h"

namespace vestige::strong {

template <int kLevel>
class DataColumn {
 public:
  static constexpr auto kKinds = DataPlan<kLevel>::kKinds;

  DataColumn(const Sizes& sizes, unsigned width)
      : mask_(mask_of(width)),
        guesses_(telling()),
        literals_(sizes.lines, width),
        matches_(sizes.rows, 16),
        latest_(sizes.rows),
        echo_(sizes.slots),
        relation_(sizes.places - 2),
        path_relation_(sizes.places),
        places_(sizes.places) {
    for (size_t i = 0; i < kTables; ++i) tables_.emplace_back(sizes.slots);
  }
  static std::vector<const char*> predictor_names() {
    std::vector<const char*> names;
    for (const DataKind kind : kKinds) names.push_back(kDataNames[kind]);
    return names;
  }

  // Codes a block's values, or, decoding, fills them in. `beside`: an earlier field of the same
  // rows, or empty. `ahead`: whether the PCs of the rows to come may be known.
  template <class Coder>
  void code(Coder& coder, std::span<const uint64_t> pcs, std::span<const uint64_t> beside,
            bool ahead, ColumnOf<Coder> values, PredictionTally* tally) {
    blind_ = !ahead;
    if (ahead)
      path_.enter(pcs);
    else
      path_.enter_blind(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      uint64_t value = values[i];
      const size_t predictor =
          ahead ? code_value(coder, i, beside.empty() ? nullptr : &beside[i], value)
                : code_row(coder, i, pcs[i], value);
      if constexpr (Coder::kDecoding) values[i] = value;
      if (tally != nullptr) tally->saw(pcs[i], predictor);
    }
  }
  // The same row by row, for a decoder that learns each PC after the value before.
  void enter_blind(size_t rows) {
    path_.enter_blind(rows);
    blind_ = true;
  }
  template <class Coder>
  size_t code_row(Coder& coder, size_t i, uint64_t pc, uint64_t& value) {
    path_.reach(i, pc);
    return code_value(coder, i, nullptr, value);
  }

 private:
  static constexpr size_t kPredictors = kKinds.size();
  static constexpr size_t kTables = [] {
    size_t tables = 0;
    for (const DataKind kind : kKinds) tables += kind < kSlotKinds;
    return tables;
  }();
  static constexpr std::array<size_t, kDataKinds> kPosition = [] {
    std::array<size_t, kDataKinds> position;
    position.fill(kPredictors);
    for (size_t i = 0; i < kPredictors; ++i) position[kKinds[i]] = i;
    return position;
  }();
  static constexpr bool asks(DataKind kind) { return kPosition[kind] < kPredictors; }
  static std::vector<size_t> telling() {
    std::vector<size_t> positions;
    for (const DataKind kind : DataPlan<kLevel>::kTelling) positions.push_back(kPosition[kind]);
    return positions;
  }
  using Literals = typename DataPlan<kLevel>::Literals;
  using Relations = RelationModel<DataPlan<kLevel>::kRelated>;
  using Guesses = GuessCoder<kPredictors, DataPlan<kLevel>::kTries, DataPlan<kLevel>::kSelectors>;
  struct Place {
    uint64_t check;
    std::array<uint64_t, 4> last;
  };

  template <class Coder>
  size_t code_value(Coder& coder, size_t i, const uint64_t* beside, uint64_t& value) {
    const uint64_t here = path_.hash(i, 0);
    Place& place = places_.at_hash(here);
    if (place.check != here) place = {here, {}};
    find_contexts(place, i, beside);
    find_slots(here, beside != nullptr);
    const size_t predictor = guesses_.code(coder, now_, here, mask_, value);
    if (predictor == kPredictors) {
      const auto& own = place.last;
      typename Literals::Context context;
      context.place = here;
      std::copy_n(std::array{own[0], last_[0], 2 * own[0] - own[1], last_[1]}.begin(),
                  context.references.size(), context.references.begin());
      std::copy_n(
          std::array{previous3_, path3_, previous1_, hash_[kFcm1], last_[0], hash_[kFcm2], path6_}
              .begin(),
          context.hashes.size(), context.hashes.begin());
      value = literals_.code(coder, value, context) & mask_;
    }
    learn(value, place, i);
    return predictor;
  }

  void set(DataKind kind, uint64_t hash, uint64_t base) {
    hash_[kind] = hash;
    base_[kind] = base;
  }
  void find_contexts(const Place& place, size_t i, const uint64_t* beside) {
    const auto& own = place.last;
    const uint64_t here = path_.hash(i, 0), next = path_.hash(i, 1);
    const auto before = [&](int n) { return path_.hash(i, -n); };
    set(kLast, here, 0);
    uint64_t h = combined(here, own[0]);
    set(kFcm1, h, 0);
    set(kFcm2, combined(h, own[1]), 0);
    h = combined(combined(here, own[0] - own[1]), own[1] - own[2]);
    set(kDfcm3, combined(h, own[2] - own[3]), own[0]);
    const uint64_t before2 = before(1) * 3 + before(2);
    set(kPath2Previous2, combined(here, before2), last_[1]);
    path3_ = combined(combined(here, next), before2);
    set(kPath3Previous, path3_, last_[0]);
    set(kPath3Own, path3_, own[0]);
    path6_ = combined(combined(path3_, path_.hash(i, 2)), before(3) * 3 + before(4));
    h = combined(combined(path6_, before(5) * 3 + before(6)), path_.hash(i, 3));
    for (int n = 7; n <= 12; ++n) h = combined(h, before(n));
    set(kPath15, h, 0);
    set(kPath32, combined(combined(walked32_, here), next), 0);
    previous1_ = combined(here, last_[0]);
    previous3_ = combined(combined(previous1_, last_[1]), last_[2]);
    set(kPrevious5, combined(combined(previous3_, last_[3]), last_[4]), 0);
    set(kPreviousStep, combined(combined(here, next), last_[0] - last_[1]), last_[0]);
    if (beside != nullptr) {
      set(kBeside, combined(here, *beside), 0);
      set(kBesideStep, path3_, *beside);
    }
    if constexpr (asks(kRelation)) {
      relation_at_ = hashed(combined(here, before(1)));
      relation_.prefetch(relation_at_);
    }
  }

  void find_slots(uint64_t here, bool beside) {
    std::array<uint64_t, kTables> at;
    for (size_t k = 0; k < kTables; ++k) {
      const DataKind kind = kKinds[k];
      at[k] = hashed(hash_[kind] + kind * kHashB);
      tables_[k].prefetch(at[k]);
    }
    echo_.prefetch(hashed(hash_[kPath32]));
    path_relation_.prefetch(hashed(hash_[kPath15]));
    for (size_t k = 0; k < kTables; ++k) {
      const DataKind kind = kKinds[k];
      if ((kind == kBeside || kind == kBesideStep) && !beside)
        now_[k] = {&none_, 0};
      else
        now_[k] = {&tables_[k].find(at[k]), base_[kind]};
    }
    matches_.require(here);
    if constexpr (asks(kMatch)) {
      match_ = matches_.found() ? slot_of(matches_.proposed()) : CandidateSlot{};
      now_[kPosition[kMatch]] = {&match_, 0};
    }
    if constexpr (asks(kMatchStep)) {
      match_step_ = matches_.found() ? slot_of(matches_.step()) : CandidateSlot{};
      now_[kPosition[kMatchStep]] = {&match_step_, last_[0]};
    }
    now_[kPosition[kEcho]] = {&echo_.find(hashed(hash_[kPath32]), matches_), 0};
    if constexpr (asks(kRelation))
      now_[kPosition[kRelation]] = {&relation_.find(relation_at_, last_), 0};
    now_[kPosition[kPathRelation]] = {&path_relation_.find(hashed(hash_[kPath15]), last_), 0};
  }
  CandidateSlot slot_of(uint64_t value) const {
    CandidateSlot slot{};
    slot.value[0] = value;
    slot.count[0] = matches_.length();
    slot.outcomes[0] = matches_.outcomes();
    return slot;
  }

  void learn(uint64_t value, Place& place, size_t i) {
    for (size_t k = 0; k < kTables; ++k)
      if (now_[k].slot != &none_) now_[k].slot->learn((value - now_[k].base) & mask_);
    echo_.learn(value, latest_.distance(value, matches_));
    latest_.note(value, matches_);
    if constexpr (asks(kRelation)) relation_.learn(value, last_);
    path_relation_.learn(value, last_);
    if (blind_) path_.leave(i, value);
    walked22_ = (walked22_ << 3) + path_.hash(i, 0);
    walked32_ = (walked32_ << 2) + path_.hash(i, 0);
    const uint64_t key = (place.check & ~uint64_t{UINT32_MAX}) | (hashed(value) & UINT32_MAX);
    if constexpr (asks(kMatch) || asks(kMatchStep))
      matches_.append(key, value, combined(walked22_, combined(value, last_[0])));
    else
      matches_.keep(key, value);
    place.last = {value, place.last[0], place.last[1], place.last[2]};
    std::copy_backward(last_.begin(), last_.end() - 1, last_.end());
    last_[0] = value;
  }

  uint64_t mask_;
  PcPath path_;
  Guesses guesses_;
  Literals literals_;
  MatchModel matches_;
  LatestRows latest_;
  EchoModel echo_;
  Relations relation_, path_relation_;
  BigTable<Place> places_;
  std::vector<SlotTable> tables_;          // of the first kTables kinds
  typename Relations::LastValues last_{};  // the column's
  uint64_t walked22_ = 0, walked32_ = 0;   // hashes of the last 22 and 32 rows
  bool blind_ = false;

  // Of the value at hand.
  std::array<uint64_t, kSlotKinds> hash_{}, base_{};
  uint64_t path3_ = 0, path6_ = 0, previous1_ = 0, previous3_ = 0;
  typename Guesses::Guesses now_;
  uint64_t relation_at_ = 0;
  CandidateSlot none_{};
  CandidateSlot match_{}, match_step_{};
};

}  // namespace vestige::strong
