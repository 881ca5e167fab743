// Branch predictors. A branch is known by a hash of its #ID, in the place of an address.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "vestige/machine.h"

namespace vestige {

// Spreads neighbouring ids over all bits.
inline uint32_t branch_hash(uint64_t statement_id) {
  return static_cast<uint32_t>((statement_id + 1) * 0x9e3779b97f4a7c15u >> 32);
}

// Which way two-way branches go.
class DirectionPredictor {
 public:
  virtual ~DirectionPredictor() = default;
  // Predicts, then learns what happened. True: it was wrong.
  virtual bool branch(uint32_t hash, bool taken) = 0;
  // Something that correlates with branches to come: one bit more of history.
  virtual void note(bool bit) = 0;
};
std::unique_ptr<DirectionPredictor> make_direction_predictor(PredictorKind kind);

// McFarling 1993, "Combining Branch Predictors": 2^16 two-bit counters, weakly not taken at first,
// by the branch and the last 16 outcomes.
class GsharePredictor final : public DirectionPredictor {
 public:
  static constexpr unsigned kBits = 16;
  bool branch(uint32_t hash, bool taken) override {
    uint8_t& counter = counters_[(hash ^ history_) & (kCounters - 1)];
    const bool wrong = (counter >= 2) != taken;
    if (taken && counter < 3) ++counter;
    if (!taken && counter > 0) --counter;
    note(taken);
    return wrong;
  }
  void note(bool bit) override { history_ = (history_ << 1 | bit) & (kCounters - 1); }

 private:
  static constexpr uint32_t kCounters = 1u << kBits;
  uint32_t history_ = 0;
  std::vector<uint8_t> counters_ = std::vector<uint8_t>(kCounters, 1);
};

// Where switches and computed gotos go: 2^12 entries, by the branch and the last targets. An entry
// is of one branch and gives the target it had there before.
class TargetPredictor {
 public:
  static constexpr unsigned kBits = 12;
  bool branch(uint32_t hash, uint32_t target) {
    Entry& entry = entries_[(hash ^ history_) & (kEntries - 1)];
    const bool wrong = entry.hash != hash || entry.target != target;
    entry = {hash, target};
    history_ = (history_ << 3 ^ target) & (kEntries - 1);
    return wrong;
  }

 private:
  static constexpr uint32_t kEntries = 1u << kBits;
  struct Entry {
    uint32_t hash = 0, target = kNone;
  };
  uint32_t history_ = 0;
  std::vector<Entry> entries_ = std::vector<Entry>(kEntries);
};

}  // namespace vestige
