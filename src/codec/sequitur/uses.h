// Where every terminal and every rule is used: the way up, from a symbol to the bodies it stands
// in.
//
// Cost: linear in the grammar; 4 bytes a symbol and 4 for each terminal and rule.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/sequitur/plain_grammar.h"

namespace vestige::sequitur {

class Uses {
 public:
  explicit Uses(const PlainGrammar& grammar);

  // The places of a terminal or rule, in order; a run counts as one place of what it repeats.
  std::span<const uint32_t> of(Symbol symbol) const {
    const size_t at = is_rule(symbol) ? terminals_ + rule_of(symbol) : symbol;
    return std::span(places_).subspan(ends_[at], ends_[at + 1] - ends_[at]);
  }
  // The rule in whose body a place is.
  uint32_t rule_around(uint32_t place) const {
    return static_cast<uint32_t>(std::upper_bound(rule_ends_.begin(), rule_ends_.end(), place) -
                                 rule_ends_.begin());
  }

 private:
  std::span<const uint32_t> rule_ends_;
  size_t terminals_;
  std::vector<uint32_t> ends_, places_;
};

}  // namespace vestige::sequitur
