// Scheme 2 of the path-matching paper (section 4.2): what every rule of a grammar means for a
// pattern (levels.h), each computed once from its symbols. Counting then visits rules, not
// occurrences.
//
// Rules are summarised when they are first asked for, or all at once from the bottom up. A rule in
// which the function cannot run, by its `touched` bits, is never looked into: its move in depth is
// all that matters.
//
// Most rules are blocks of one activation: a transform and a count say it all. Only the others have
// levels of their own.
//
// Memory: 16 bytes a rule that is asked for; of those with levels, 24 more and 16 for each level.
// full() as in Transforms: too much to keep, and what was computed is useless. Asking computes, so
// each search has its own.
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

  // What a terminal or rule means.
  struct Meaning {
    enum Kind : uint32_t {
      unknown = 0,
      nothing = 1,  // the function does not run in it
      blocks = 2,   // `made` is done to the activation that is innermost where it begins
      levels = 3,   // view() says more
    };
    Kind kind = unknown;
    uint32_t what = 0;  // a transform, or a summary
    uint64_t count = 0;
    Transforms::Made made() const { return {what, count}; }
  };
  // Never `unknown`.
  const Meaning& find(sequitur::Symbol symbol) {
    if (!sequitur::is_rule(symbol)) return of_terminal_[symbol];
    const uint32_t rule = sequitur::rule_of(symbol);
    if ((grammar_.rules[rule].touched & mask_) == 0) return kMeansNothing;
    if (of_rule()[rule].kind == Meaning::unknown) summarise(rule);
    return of_rule()[rule];
  }
  LevelsView view(const Meaning& meaning) const {
    const Summary& s = summaries_[meaning.what];
    const std::span<const Level> all(pool_);
    return {s.count, all.subspan(s.begin, s.before), all.subspan(s.begin + s.before, s.open)};
  }
  // Which rules come is known well before they are needed; where they lie in memory is anywhere.
  void prefetch(uint32_t place, uint32_t end) {
    constexpr uint32_t kFar = 32, kNear = 8;
    if (place + kFar >= end) return;
    const sequitur::Symbol far = grammar_.symbols[place + kFar];
    if (sequitur::is_rule(far)) __builtin_prefetch(&grammar_.rules[sequitur::rule_of(far)]);
    const sequitur::Symbol near = grammar_.symbols[place + kNear];
    if (sequitur::is_rule(near) && (grammar_.rules[sequitur::rule_of(near)].touched & mask_) != 0)
      __builtin_prefetch(of_rule() + sequitur::rule_of(near));
  }
  // A rule in which the function does not run, which is most of them: its move in depth, at once.
  bool passes(sequitur::Symbol symbol, Levels& levels) const {
    if (!sequitur::is_rule(symbol)) return false;
    const RuleFacts& rule = grammar_.rules[sequitur::rule_of(symbol)];
    if ((rule.touched & mask_) != 0) return false;
    if ((rule.net | rule.lowest) != 0) levels.pass({0, rule.net, rule.lowest});
    return true;
  }
  // Of so many repetitions of something with levels, in the place of what `out` holds.
  void power(sequitur::Symbol symbol, uint64_t count, Levels& out);
  void summarise_all();

 private:
  static constexpr size_t kMostLevels = size_t{1} << 25;
  static constexpr Meaning kMeansNothing = {Meaning::nothing, 0, 0};
  struct Summary {
    uint64_t count;
    uint32_t begin, before, open;  // in the pool
  };
  Meaning keep(const Levels& levels);
  void summarise(uint32_t rule);
  void learn_terminals(const Trace& trace);
  Meaning* of_rule() { return reinterpret_cast<Meaning*>(rule_pages_.data()); }

  const PathGrammar& grammar_;
  const PathPattern::Program& pattern_;
  Transforms transforms_;
  const uint64_t mask_;
  std::vector<Meaning> of_terminal_;
  ZeroPages rule_pages_;  // a Meaning for each rule
  std::vector<Summary> summaries_;
  std::vector<Level> pool_;
  Levels scratch_, power_, square_;
};

}  // namespace vestige
