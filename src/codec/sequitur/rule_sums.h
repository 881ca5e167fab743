// A number for every rule: the sum, over its expansion, of a number for every terminal (how many
// values it stands for, whether it is a synchronization operation, how far it moves an address …).
// Any place in the stream can then be found by its sum in the depth of the grammar, and the sum
// before any place likewise, without expanding anything (Algorithm 1 of the parallel-executions
// paper, with sums in the place of its counts on edges).
//
// Besides the totals of rules, sums up to every sixteenth symbol of a body are kept: looking for a
// place in a body is a binary search over those and a scan of fifteen symbols.
//
// Cost: linear in the grammar to make; 8 bytes a rule, half a byte a symbol.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "codec/sequitur/plain_grammar.h"

namespace vestige::sequitur {

class RuleSums {
 public:
  RuleSums() = default;
  // The grammar must outlive the sums. Sums wrap; overflowed() tells.
  RuleSums(const PlainGrammar& grammar, const std::function<uint64_t(uint32_t)>& of_terminal);

  bool overflowed() const { return overflowed_; }
  uint64_t of_rule(uint32_t rule) const { return rules_[rule]; }
  uint64_t total() const { return rules_.back(); }
  // Of a terminal or a rule.
  uint64_t of(Symbol symbol) const {
    return is_rule(symbol) ? rules_[rule_of(symbol)] : terminals_[symbol];
  }
  // Of all repetitions of the symbol at `place` of grammar.symbols.
  uint64_t at(uint32_t place) const;
  // Of what lies before `place` in the body that begins at `begin`.
  uint64_t before(uint32_t begin, uint32_t place) const;
  // The place in a body where the sum goes beyond `target`; the sum must be more than that. Takes
  // from `target` what lies before that place. For sums that did not overflow.
  uint32_t find(uint32_t begin, uint32_t end, uint64_t& target) const;

 private:
  static constexpr uint32_t kEvery = 16;
  const PlainGrammar* grammar_ = nullptr;
  std::vector<uint64_t> terminals_, rules_;
  std::vector<uint64_t> samples_;  // at kEvery·i: of the body around it, up to there
  bool overflowed_ = false;
};

}  // namespace vestige::sequitur
