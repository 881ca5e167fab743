// How well the rows that a row repeats foresaw what came: a byte per row, handed on from row to row
// along the chain of repetitions. A row that was foreseen `kSafeAfter` times in a row, or always,
// is "safe": safe rows are coded in groups, one decision for all of them, and hand their state on
// as it is. All others are worth a decision each, with evidence (flag_model.h).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "codec/entropy/logistic.h"

namespace vestige::mix {

// Bits 0 … 3: successes since the last failure; 4 … 6: failures; 7: safe.
using Foresight = uint8_t;
inline constexpr Foresight kSafe = 0x80;
inline constexpr uint32_t kGroupRows = 128;  // at most

inline unsigned successes(Foresight state) { return state & 15u; }
// The same without the mark.
inline unsigned record_of(Foresight state) { return state & 0x7fu; }
inline Foresight without_successes(Foresight state) { return state & 0x70; }

// `kSafeAfter`: the successes after which a row is safe that failed once.
template <unsigned kSafeAfter>
Foresight after(Foresight state, bool right) {
  const unsigned failures = state >> 4 & 7u;
  if (!right) return static_cast<Foresight>(std::min(failures + 1, 7u) << 4);
  const unsigned more = std::min(successes(state) + 1, 15u);
  const bool safe = failures == 0 || more >= kSafeAfter;
  return static_cast<Foresight>((safe ? kSafe : 0) | failures << 4 | more);
}

// How many of at most `limit` states are safe, from the first on. May read 7 beyond.
inline uint32_t safe_rows(const Foresight* states, uint32_t limit) {
  for (uint32_t i = 0; i < limit; i += 8) {
    uint64_t eight;
    std::memcpy(&eight, states + i, 8);
    const uint64_t unsafe = ~eight & 0x8080808080808080;
    if (unsafe != 0)
      return std::min(limit, i + static_cast<uint32_t>(std::countr_zero(unsafe)) / 8);
  }
  return limit;
}
// The rows, of at most `limit` and kGroupRows, that make a group when `states` are those of the
// rows repeated, `period` rows before. What follows a whole period of safe rows repeats them.
inline uint32_t group_rows(const Foresight* states, uint32_t limit, uint32_t period) {
  limit = std::min(limit, kGroupRows);
  const uint32_t safe = safe_rows(states, std::min(limit, period));
  return safe == period ? limit : safe;
}

// The decision that all rows of a group are as foreseen, or which is the first that is not.
class GroupModel {
 public:
  GroupModel() {
    for (auto& row : all_) row.fill(65000);
    where_.fill(32768);
  }
  // `right`: how many are, which is given back. `context` is below 8.
  template <class Coder>
  uint32_t code(Coder& coder, uint32_t right, uint32_t rows, size_t context) {
    const auto size = static_cast<size_t>(std::bit_width(rows));  // 1 … 8
    uint16_t& p = all_[past_ & 15][context * 8 + size - 1];
    const bool all = coder.code(right == rows, std::clamp<uint32_t>(p, 16, 65520));
    learn(p, all, 5);
    past_ = past_ << 1 | !all;
    if (all) return rows;
    uint32_t at = 0;
    for (uint32_t bit = std::bit_ceil(rows) / 2; bit > 0; bit /= 2) {
      if (at + bit >= rows) continue;
      uint16_t& q = where_[static_cast<size_t>(std::bit_width(bit)) * 8 + size % 8];
      const bool set = coder.code((right & bit) != 0, std::clamp<uint32_t>(q, 64, 65472));
      learn(q, set, 5);
      at += set ? bit : 0;
    }
    return at;
  }

 private:
  std::array<std::array<uint16_t, 64>, 16> all_;
  std::array<uint16_t, 128> where_;
  uint32_t past_ = 0;  // the latest groups, a bit each: not all right
};

}  // namespace vestige::mix
