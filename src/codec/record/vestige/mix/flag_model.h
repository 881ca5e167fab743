// One yes-or-no decision, predicted from what it was in several contexts.
//
// Every context names a bit history (bit_history.h) in a table of its own, checked by a byte of its
// hash; what a history is worth is learnt per context; the evidence is mixed.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "base/zeroed_table.h"
#include "codec/entropy/bit_history.h"
#include "codec/entropy/hashing.h"
#include "codec/entropy/mixer.h"

namespace vestige::mix {

// What a history was followed by, learnt, and the same stretched.
struct LearntShare {
  uint16_t ones;
  int16_t evidence;
};
class Shares {
 public:
  Shares() {
    for (size_t h = 0; h < 256; ++h) {
      const uint16_t p = kBitHistories.first_guess[h];
      shares_[h] = {p, stretch(p)};
    }
  }
  int16_t evidence(uint8_t history) const { return shares_[history].evidence; }
  void learn(uint8_t history, bool bit, int rate) {
    LearntShare& share = shares_[history];
    mix::learn(share.ones, bit, rate);
    share.evidence = stretch(share.ones);
  }

 private:
  std::array<LearntShare, 256> shares_;
};

// The evidence of up to seven contexts, and a constant in the last lane. In one expression, so that
// it stays in registers.
template <size_t kContexts>
Lanes evidence_of(const std::array<Shares, kContexts>& shares,
                  const std::array<uint8_t, kContexts>& history) {
  static_assert(kContexts <= 7);
  const auto lane = [&]<size_t c>(std::integral_constant<size_t, c>) -> int16_t {
    if constexpr (c < kContexts)
      return shares[c].evidence(history[c]);
    else
      return 0;
  };
  return [&]<size_t... c>(std::index_sequence<c...>) {
    return Lanes{lane(std::integral_constant<size_t, c>())..., 128};
  }(std::make_index_sequence<7>());
}

template <size_t kContexts>  // at most 7
class FlagModel {
 public:
  using Hashes = std::array<uint64_t, kContexts>;

  // 2^bits histories per context; `sets` of weights.
  FlagModel(unsigned bits, size_t sets) : shift_(64 - bits), mixer_(sets, 3) {
    for (auto& table : tables_) table = ZeroedTable<Slot>(size_t{1} << bits);
  }
  // The hashes are spread over all bits (`hashed`).
  template <class Coder>
  bool code(Coder& coder, bool bit, const Hashes& hashes, size_t set) {
    std::array<Slot*, kContexts> slots;
    std::array<uint8_t, kContexts> history;
    // Another context's history counts as none. No branch: which it is nobody could foresee.
    for (size_t c = 0; c < kContexts; ++c) {
      slots[c] = &tables_[c][hashes[c] >> shift_];
      const bool mine = slots[c]->check == static_cast<uint8_t>(hashes[c]);
      history[c] = static_cast<uint8_t>(slots[c]->history & -static_cast<int>(mine));
    }
    const typename Mixer<1>::Inputs inputs = {evidence_of(shares_, history)};
    const uint32_t p = squash(mixer_.mix(inputs, set));
    const bool coded = coder.code(bit, p);
    mixer_.learn(inputs, set, coded, p);
    for (size_t c = 0; c < kContexts; ++c) {
      shares_[c].learn(history[c], coded, 6);
      *slots[c] = {static_cast<uint8_t>(hashes[c]), kBitHistories.next[history[c]][coded]};
    }
    return coded;
  }

 private:
  struct Slot {
    uint8_t check = 0;
    uint8_t history = 0;
  };
  const unsigned shift_;
  Mixer<1> mixer_;
  std::array<ZeroedTable<Slot>, kContexts> tables_;
  std::array<Shares, kContexts> shares_;
};

}  // namespace vestige::mix
