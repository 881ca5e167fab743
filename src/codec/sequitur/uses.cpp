#include "codec/sequitur/uses.h"

namespace vestige::sequitur {

Uses::Uses(const PlainGrammar& grammar)
    : rule_ends_(grammar.ends),
      terminals_(grammar.terminals.size()),
      ends_(grammar.terminals.size() + grammar.rules() + 1),
      places_(grammar.symbols.size()) {
  const auto number = [&](uint32_t place) {
    const Symbol symbol = grammar.run(place).symbol;
    return is_rule(symbol) ? terminals_ + rule_of(symbol) : symbol;
  };
  const auto all = static_cast<uint32_t>(grammar.symbols.size());
  for (uint32_t place = 0; place < all; ++place) ++ends_[number(place) + 1];
  for (size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
  std::vector<uint32_t> next(ends_.begin(), ends_.end() - 1);
  for (uint32_t place = 0; place < all; ++place) places_[next[number(place)]++] = place;
}

}  // namespace vestige::sequitur
