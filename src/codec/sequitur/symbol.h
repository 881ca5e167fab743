// What stands at one place of a rule body: a terminal, a rule, or a run of either, in 32 bits.
//
// A run x^n (n ≥ 2) is one symbol of its own, numbered in a table of (x, n). So a body is a plain
// array of 32-bit words, two equal runs compare as one word, and repetition costs nothing where
// there is none.
//
//   0 … 2^30-1          terminal, by its number
//   2^30 + n            rule n
//   2^30 + 2^29 + n     run n
//   2^31 + n            no symbol: the head of rule n's body, and so the end of the body before it
//   2^31 + 2^30 + n     no symbol: the first and the last word of a hole n words long
#pragma once

#include <cstdint>

namespace vestige::sequitur {

using Symbol = uint32_t;

inline constexpr Symbol kRuleBase = 1u << 30;
inline constexpr Symbol kRunBase = kRuleBase | 1u << 29;
inline constexpr Symbol kHeadBase = 1u << 31;
inline constexpr Symbol kHoleBase = kHeadBase | 1u << 30;
inline constexpr uint32_t kMostRules = 1u << 29;
inline constexpr uint32_t kMostRuns = 1u << 29;

inline constexpr bool is_symbol(Symbol s) { return s < kHeadBase; }
inline constexpr bool is_terminal(Symbol s) { return s < kRuleBase; }
inline constexpr bool is_rule(Symbol s) { return s >= kRuleBase && s < kRunBase; }
inline constexpr bool is_run(Symbol s) { return s >= kRunBase && s < kHeadBase; }
inline constexpr bool is_head(Symbol s) { return s >= kHeadBase && s < kHoleBase; }
inline constexpr bool is_hole(Symbol s) { return s >= kHoleBase; }
inline constexpr Symbol rule_symbol(uint32_t rule) { return kRuleBase | rule; }
inline constexpr uint32_t rule_of(Symbol s) { return s - kRuleBase; }

// `symbol` is a terminal or a rule; at least two of it in a row.
struct Run {
  Symbol symbol = 0;
  uint64_t count = 0;
  bool operator==(const Run&) const = default;
};

}  // namespace vestige::sequitur
