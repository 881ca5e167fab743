// Echoes: a value that came up a fixed number of rows ago, wherever it belonged then. A stencil
// loads each element once per neighbour, a callee reloads what its caller pushed. Contexts lead to
// distances instead of values; a table of where each value was last tells the distance when it was
// not foreseen.
#pragma once

#include <cstdint>

#include "codec/record/vestige/strong/match.h"
#include "codec/record/vestige/strong/slots.h"

namespace vestige::strong {

// Where each value was last.
class LatestRows {
 public:
  explicit LatestRows(unsigned bits) : rows_(bits) {}
  // How many rows ago, 0 when that is forgotten.
  uint64_t distance(uint64_t value, const MatchModel& history) const {
    const uint32_t row = rows_[rows_.index(hashed(value))];
    const uint64_t distance = static_cast<uint32_t>(history.rows()) - row;
    return row != 0 && distance <= history.reach() && history.back(distance) == value ? distance
                                                                                      : 0;
  }
  // Before the value is appended to the history.
  void note(uint64_t value, const MatchModel& history) {
    rows_.at_hash(hashed(value)) = static_cast<uint32_t>(history.rows());
  }

 private:
  BigTable<uint32_t> rows_;
};

class EchoModel {
 public:
  explicit EchoModel(unsigned bits) : distances_(bits) {}
  void prefetch(uint64_t hash) { distances_.prefetch(hash); }
  // The values at the context's distances.
  CandidateSlot& find(uint64_t hash, const MatchModel& history) {
    slot_ = &distances_.find(hash);
    shown_ = CandidateSlot{};
    size_t shown = 0;
    for (size_t j = 0; j < kCandidates && slot_->count[j] != 0; ++j) {
      if (slot_->value[j] > history.reach()) continue;
      const uint64_t value = history.back(slot_->value[j]);
      bool known = false;
      for (size_t i = 0; i < shown; ++i) known |= shown_.value[i] == value;
      if (known) continue;
      from_[shown] = j;
      shown_.value[shown] = value;
      shown_.count[shown] = slot_->count[j];
      shown_.outcomes[shown++] = slot_->outcomes[j];
    }
    return shown_;
  }
  // `distance`: of the value's latest row, or 0.
  void learn(uint64_t value, uint64_t distance) {
    for (size_t i = 0; i < kCandidates && shown_.count[i] != 0; ++i)
      if (shown_.value[i] == value) return slot_->learn(slot_->value[from_[i]], from_[i]);
    if (distance != 0)
      slot_->learn(distance);
    else
      slot_->miss();
  }

 private:
  SlotTable distances_;
  CandidateSlot* slot_ = nullptr;
  CandidateSlot shown_{};
  std::array<size_t, kCandidates> from_{};
};

}  // namespace vestige::strong
