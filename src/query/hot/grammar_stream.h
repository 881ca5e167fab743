// Consecutive grammars as one stream: rules and terminals numbered through, how often and where
// first each occurs, and the ends of rules' expansions.
//
// The parts stay where they are and must outlive this. Not changed after it is made, but for
// keep_ends().
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/sequitur/plain_grammar.h"
#include "vestige/result.h"

namespace vestige {

class GrammarStream {
 public:
  // A symbol of a body.
  struct Item {
    bool is_rule = false;
    uint32_t number = 0;  // of the rule or terminal
    uint64_t count = 1;
  };
  struct Rule {
    uint64_t length = 0;          // terminals
    uint64_t occurrences = 0;     // in the whole stream
    uint64_t first = UINT64_MAX;  // terminals before its first one
    size_t ends = 0;              // in ends_
  };
  struct Terminal {
    uint64_t value = 0;
    uint64_t occurrences = 0;
    uint64_t first = UINT64_MAX;
  };

  // Fails (unsupported) on streams of 2^64 terminals and more.
  static Result<GrammarStream> make(std::span<const sequitur::PlainGrammar* const> parts);

  uint64_t length() const { return length_; }
  const std::vector<Rule>& rules() const { return rules_; }
  const std::vector<Terminal>& terminals() const { return terminals_; }
  uint64_t length_of(const Item& item) const {
    return item.is_rule ? rules_[item.number].length : 1;
  }

  // Every body, as use(items, occurrences, first): those of the rules, and on top the parts in a
  // row. Empty symbols (an empty part) are left out.
  template <class Use>
  void each_body(const Use& use) const {
    std::vector<Item> items;
    for (const Part& part : parts_) {
      for (uint32_t r = 0; r < part.grammar->rules(); ++r) {
        body(part, r, items);
        const Rule& rule = rules_[part.first_rule + r];
        use(std::span<const Item>(items), rule.occurrences, rule.first);
      }
    }
    use(std::span<const Item>(top_), uint64_t{1}, uint64_t{0});
  }

  // From now on ends() knows the first and last `reach` terminals of every rule. Fails
  // (unsupported) when that is more than `most` terminals in all.
  Result<void> keep_ends(uint64_t reach, size_t most);
  // All terminals of a symbol that has at most 2 × reach; otherwise its first `reach` and then its
  // last.
  std::span<const uint32_t> ends(const Item& item) const {
    if (!item.is_rule) return {&self_[item.number], 1};
    const Rule& rule = rules_[item.number];
    return std::span(ends_).subspan(rule.ends, std::min(rule.length, 2 * reach_));
  }

 private:
  struct Part {
    const sequitur::PlainGrammar* grammar = nullptr;
    uint32_t first_rule = 0;
    std::vector<uint32_t> terminals;  // the number of each of the part's
  };
  void body(const Part& part, uint32_t rule, std::vector<Item>& items) const;
  Result<void> add(const sequitur::PlainGrammar& grammar);
  void count();

  std::vector<Part> parts_;
  std::vector<Rule> rules_;
  std::vector<Terminal> terminals_;
  std::vector<Item> top_;
  uint64_t length_ = 0, reach_ = 0;
  std::vector<uint32_t> ends_;
  std::vector<uint32_t> self_;  // self_[t] == t: the ends of terminals
};

}  // namespace vestige
