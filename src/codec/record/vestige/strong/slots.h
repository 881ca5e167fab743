// What followed a context before: up to three values, the latest first, each with how often and how
// lately it was right. Half a cache line; a context has two places to be in, one line.
//
// Counts grow by one with every right prediction and fall to a few at a wrong one, so that they say
// how long the context has been steady; the outcomes' last four bits tell apart what they blur.
#pragma once

#include <array>
#include <cstdint>

#include "codec/record/vestige/strong/hash.h"
#include "codec/record/vestige/strong/table.h"

namespace vestige::strong {

inline constexpr size_t kCandidates = 3;

struct alignas(32) CandidateSlot {
  std::array<uint64_t, kCandidates> value;
  uint16_t check;
  std::array<uint8_t, kCandidates> count;     // 0: no such candidate
  std::array<uint8_t, kCandidates> outcomes;  // the last ones, 1 for right

  // 0 … 255: all that is learnt about a candidate's worth goes by this.
  uint8_t state(size_t candidate) const {
    return static_cast<uint8_t>(kLevels[count[candidate]] << 4 | (outcomes[candidate] & 15));
  }
  // The value `actual` came up: it becomes the first candidate.
  void learn(uint64_t actual) {
    size_t at = 0;
    while (at < kCandidates && (count[at] == 0 || value[at] != actual)) ++at;
    learn(actual, at);
  }
  // Something else came up, that is not worth a place here.
  void miss() {
    for (size_t i = 0; i < kCandidates; ++i) {
      outcomes[i] = static_cast<uint8_t>(outcomes[i] << 1);
      count[i] = kShaken[count[i]];
    }
  }
  // As learn(actual), when the caller knows which candidate was right (kCandidates: none).
  void learn(uint64_t actual, size_t right) {
    for (size_t i = 0; i < kCandidates; ++i) {
      if (count[i] == 0) continue;
      outcomes[i] = static_cast<uint8_t>(outcomes[i] << 1 | (i == right));
      count[i] = i == right ? static_cast<uint8_t>(count[i] + (count[i] < 255)) : kShaken[count[i]];
    }
    const bool known = right < kCandidates;
    const uint8_t new_count = known ? count[right] : 1;
    const uint8_t new_outcomes = known ? outcomes[right] : 0;
    for (size_t i = known ? right : kCandidates - 1; i > 0; --i) {
      value[i] = value[i - 1];
      count[i] = count[i - 1];
      outcomes[i] = outcomes[i - 1];
    }
    value[0] = actual;
    count[0] = new_count;
    outcomes[0] = new_outcomes;
  }

 private:
  static constexpr std::array<uint8_t, 256> kLevels = [] {
    std::array<uint8_t, 256> levels{};
    for (unsigned n = 0; n < 256; ++n) {
      for (const unsigned step : {1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 24, 36, 60, 110, 200})
        levels[n] = static_cast<uint8_t>(levels[n] + (n >= step));
    }
    return levels;
  }();
  static constexpr std::array<uint8_t, 256> kShaken = [] {
    std::array<uint8_t, 256> shaken{};
    for (unsigned n = 1; n < 256; ++n) shaken[n] = n > 32 ? 4 : n > 3 ? 3 : n > 1 ? n / 2 : 1;
    return shaken;
  }();
};
static_assert(sizeof(CandidateSlot) == 32);

class SlotTable {
 public:
  explicit SlotTable(unsigned bits) : slots_(bits) {}
  void prefetch(uint64_t hash) { __builtin_prefetch(&slots_[slots_.index(hash) & ~size_t{1}]); }
  // The context's slot, an empty one when it was never seen or was driven out.
  CandidateSlot& find(uint64_t hash) {
    CandidateSlot* pair = &slots_[slots_.index(hash) & ~size_t{1}];
    const uint16_t check = static_cast<uint16_t>(hash | 1);
    if (pair[0].check == check) return pair[0];
    if (pair[1].check == check) return pair[1];
    CandidateSlot& weaker = pair[0].count[0] <= pair[1].count[0] ? pair[0] : pair[1];
    weaker = CandidateSlot{};
    weaker.check = check;
    return weaker;
  }

 private:
  BigTable<CandidateSlot> slots_;
};

}  // namespace vestige::strong
