// A finished grammar as plain arrays: what the builder hands over, what is written to bytes and
// read from them, and what Grammar (grammar.h) is made of.
//
// Rules are in an order in which each uses only earlier ones; the last is the start rule, and it
// alone may be empty or one symbol long. Symbols are those of symbol.h; there are no holes. A
// *place* is an index into `symbols`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/sequitur/symbol.h"

namespace vestige::sequitur {

struct PlainGrammar {
  std::vector<uint64_t> terminals;   // values, each once
  std::vector<Run> runs;             // each once
  std::vector<uint32_t> ends = {0};  // where each rule's body ends in `symbols`
  std::vector<Symbol> symbols;

  uint32_t rules() const { return static_cast<uint32_t>(ends.size()); }
  uint32_t start() const { return rules() - 1; }
  uint32_t begin(uint32_t rule) const { return rule == 0 ? 0 : ends[rule - 1]; }
  std::span<const Symbol> body(uint32_t rule) const {
    return std::span(symbols).subspan(begin(rule), ends[rule] - begin(rule));
  }
  // What stands at a place: a terminal or a rule, and how often.
  Run run(uint32_t place) const {
    const Symbol s = symbols[place];
    return is_run(s) ? runs[s - kRunBase] : Run{s, 1};
  }
};

}  // namespace vestige::sequitur
