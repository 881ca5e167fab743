// Scheme 2 of the path-matching paper (section 4.2): what every rule of a grammar means for a
// pattern (levels.h), each computed once from its symbols. Counting then visits rules, not
// occurrences.
//
// Rules are summarised when they are first asked for, or all at once from the bottom up. A rule in
// which the function cannot run, by its `touched` bits, is never looked into: its move in depth is
// all that matters.
//
// Memory: 4 bytes a rule; of those where the function runs, 24 bytes and 16 for each level of it.
// full() as in Transforms: too much to keep, and what was computed is useless.
#pragma once

#include <memory>
#include <vector>

#include "base/zero_pages.h"
#include "query/paths/levels.h"
#include "query/paths/pattern_program.h"

namespace vestige {

class RuleSummaries {
 public:
  RuleSummaries(const Trace& trace, const PathGrammar& grammar,
                const PathPattern::Program& pattern);

  const PathGrammar& grammar() const { return grammar_; }
  const PathPattern::Program& pattern() const { return pattern_; }
  Transforms& transforms() { return transforms_; }
  bool full() const { return transforms_.full() || pool_.size() > kMostLevels; }

  // Goes on over the symbols at these places.
  void walk(uint32_t begin, uint32_t end, Levels& levels);
  // Of a terminal or rule; false when the function does not run in it.
  bool find(sequitur::Symbol symbol, LevelsView& view);
  // Of so many repetitions, in the place of what `out` holds.
  void power(sequitur::Symbol symbol, uint64_t count, Levels& out);
  void summarise_all();
  uint64_t summarised() const { return summaries_.size(); }

 private:
  static constexpr size_t kMostLevels = size_t{1} << 25;
  static constexpr uint32_t kUnknown = 0, kNothing = 1, kFirst = 2;
  struct Summary {
    uint64_t count;
    uint32_t begin, before, open;  // in the pool
  };
  LevelsView view(uint32_t summary) const {
    const Summary& s = summaries_[summary];
    const std::span<const Level> all(pool_);
    return {s.count, all.subspan(s.begin, s.before), all.subspan(s.begin + s.before, s.open)};
  }
  bool may_touch(sequitur::Symbol symbol) const {
    return sequitur::is_rule(symbol)
               ? (grammar_.rules[sequitur::rule_of(symbol)].touched & mask_) != 0
               : of_terminal_[symbol] != kNothing;
  }
  uint32_t keep(const Levels& levels);
  void summarise(uint32_t rule);
  void learn_terminals(const Trace& trace);
  uint32_t* of_rule() { return reinterpret_cast<uint32_t*>(rule_pages_.data()); }

  const PathGrammar& grammar_;
  const PathPattern::Program& pattern_;
  Transforms transforms_;
  const uint64_t mask_;
  std::vector<uint32_t> of_terminal_;
  ZeroPages rule_pages_;  // a number for each rule: kUnknown, kNothing, kFirst + summary
  std::vector<Summary> summaries_;
  std::vector<Level> pool_;
  Levels scratch_, power_, square_;
};

}  // namespace vestige
