// A stretch of a thread's whole program path as an annotated grammar, read where it lies in the
// mapped index: nothing is unpacked, and a query touches only the pages it needs.
//
// Bodies and symbols are those of codec/sequitur (symbol.h, plain_grammar.h): each rule uses only
// earlier ones, the last is the start rule, x^n is one symbol. Terminals are Terminal (terminal.h).
// Of every rule its expansion is known by RuleFacts.
//
// `check()` makes sure that every symbol stands for something earlier, and that every rule's facts
// are those of its body, so whatever the bytes are, no algorithm leaves the arrays, runs in
// circles, or looks for what is not there. What else terminals say of themselves is believed: the
// file is a cache under a checksum.
//
// Thread safety: const.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "codec/sequitur/symbol.h"
#include "trace/paths/terminal.h"
#include "vestige/result.h"

namespace vestige {

// On disk (docs/index-format.md).
struct RuleFacts {
  uint64_t times = 0;    // how far time moves
  uint64_t touched = 0;  // touch_bit of every function that has a path in it
  int32_t net = 0;       // as in Terminal
  int32_t lowest = 0;
  bool operator==(const RuleFacts&) const = default;
};
static_assert(sizeof(RuleFacts) == 24);

inline uint64_t touch_bit(uint32_t function) { return uint64_t{1} << (function % 64); }

// x^n on disk.
struct RunRecord {
  uint32_t symbol = 0;
  uint32_t reserved = 0;
  uint64_t count = 0;
};
static_assert(sizeof(RunRecord) == 16);

// What is known of a symbol whatever is asked: the move in time and depth of all its repetitions.
struct Extent {
  uint64_t times = 0;
  int64_t net = 0, lowest = 0;
};
// Sums wrap: no bytes of an index can make them undefined.
inline int64_t add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline Extent repeated(const Extent& one, uint64_t count) {
  const auto times = [](int64_t n, uint64_t k) {
    return static_cast<int64_t>(static_cast<uint64_t>(n) * k);
  };
  return {one.times * count, times(one.net, count),
          one.net < 0 ? add(one.lowest, times(one.net, count - 1)) : one.lowest};
}
inline Extent joined(const Extent& a, const Extent& b) {
  return {a.times + b.times, add(a.net, b.net), std::min(a.lowest, add(a.net, b.lowest))};
}

struct PathGrammar {
  std::span<const Terminal> terminals;
  std::span<const RunRecord> runs;
  std::span<const RuleFacts> rules;
  std::span<const uint32_t> ends;  // as in PlainGrammar
  std::span<const sequitur::Symbol> symbols;

  uint32_t start() const { return static_cast<uint32_t>(rules.size() - 1); }
  uint32_t begin(uint32_t rule) const { return rule == 0 ? 0 : ends[rule - 1]; }
  // A terminal or a rule, and how often.
  sequitur::Run run(uint32_t place) const {
    const sequitur::Symbol s = symbols[place];
    if (!sequitur::is_run(s)) return {s, 1};
    const RunRecord& run = runs[s - sequitur::kRunBase];
    return {run.symbol, run.count};
  }
  // Of a terminal or a rule.
  Extent extent(sequitur::Symbol symbol) const {
    if (sequitur::is_rule(symbol)) {
      const RuleFacts& rule = rules[sequitur::rule_of(symbol)];
      return {rule.times, rule.net, rule.lowest};
    }
    const Terminal& t = terminals[symbol];
    return {t.times, t.net, t.lowest};
  }
  Extent extent(const sequitur::Run& run) const {
    return run.count == 1 ? extent(run.symbol) : repeated(extent(run.symbol), run.count);
  }
  uint64_t touched(sequitur::Symbol symbol) const {
    if (sequitur::is_rule(symbol)) return rules[sequitur::rule_of(symbol)].touched;
    const uint32_t function = terminals[symbol].function;
    return function == kNone ? 0 : touch_bit(function);
  }

  // From its body and the facts of the rules in that; nothing when the body makes no sense.
  std::optional<RuleFacts> facts_of(uint32_t rule) const;
  Result<void> check() const;
};

}  // namespace vestige
