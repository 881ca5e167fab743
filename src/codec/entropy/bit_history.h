// A byte that remembers what bits followed a context: how many zeros and ones, the recent ones
// counting more, and which came last where both did. Contexts seen once or twice are the rule in
// traces; what such a short history is worth is learnt (an adaptive probability per history, kept
// by the user of this file), which a probability per context could not do from so few bits.
//
// 251 histories: counts (zeros, ones) with the smaller at most 5 and the larger at most 40, 24, 12,
// 8, 6, 5 beside it. A bit adds one to its count; the other count, when above 2, shrinks.
#pragma once

#include <array>
#include <cstdint>

namespace vestige::mix {

struct BitHistories {
  std::array<std::array<uint8_t, 2>, 256> next;  // by history and bit; 0 is the empty history
  std::array<uint16_t, 256> first_guess;  // the probability of a one, before anything is learnt
  BitHistories();
};
extern const BitHistories kBitHistories;

}  // namespace vestige::mix
