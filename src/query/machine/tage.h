// TAGE: Seznec and Michaud, "A case for (partially) tagged geometric history length branch
// prediction", JILP 2006.
//
// A table of counters by branch alone, and six more by branch and ever longer history, whose
// entries have tags. The longest history that knows the branch predicts; a new entry, not yet sure,
// leaves it to the next shorter one while that has been the better choice. Who is wrong gets an
// entry with a longer history.
//
// Departures: histories of 4 … 160 outcomes double roughly; a pseudo-random bit of a fixed sequence
// decides which longer table gets the new entry, so that a run of the model is repeatable.
#pragma once

#include <array>

#include "query/machine/predictor.h"

namespace vestige {

class TagePredictor final : public DirectionPredictor {
 public:
  static constexpr unsigned kTables = 6, kIndexBits = 11, kTagBits = 11, kBaseBits = 13;
  static constexpr std::array<unsigned, kTables> kLengths = {4, 9, 18, 38, 78, 160};
  static constexpr uint64_t kForgetEvery = uint64_t{1} << 18;  // branches

  TagePredictor();
  bool branch(uint32_t hash, bool taken) override;
  void note(bool bit) override;

 private:
  struct Entry {
    uint16_t tag = 0;
    uint8_t counter = 3;  // 0 … 7; from 4 on taken
    uint8_t useful = 0;   // 0 … 3
  };
  // A history of `length` bits, folded to `width` by exclusive or; the newest bit is the lowest.
  struct Fold {
    uint32_t value = 0;
    unsigned length = 0, width = 0;
    void push(bool newest, bool oldest) {
      value = value << 1 | newest;
      value ^= uint32_t{oldest} << (length % width);
      value ^= value >> width;
      value &= (1u << width) - 1;
    }
  };
  uint32_t index(unsigned table, uint32_t hash) const;
  uint16_t tag(unsigned table, uint32_t hash) const;
  void allocate(unsigned first, bool taken);
  void forget();

  std::vector<uint8_t> base_;
  std::array<std::vector<Entry>, kTables> tables_;
  std::array<Fold, kTables> index_folds_, tag_folds_, second_tag_folds_;
  std::array<uint32_t, kTables> at_{};  // of the branch being predicted
  std::array<uint16_t, kTables> tags_{};
  static constexpr unsigned kHistory = 256;
  std::array<bool, kHistory> history_{};  // a ring
  unsigned newest_ = 0;
  int trust_new_ = 0;  // -8 … 7; below 0: new entries have been right
  uint32_t random_ = 0x2545f491;
  uint64_t branches_ = 0;
};

}  // namespace vestige
