// What is known of a rule from what is known of its symbols: one value for every rule, computed
// from the bottom up in one pass.
//
//   auto depth = annotate<Depth>(grammar, depth_of_terminal, [](Depth a, Depth b) { … });
//   depth[rule]
//
// `combine` says what two neighbours are together; it must be associative, which is how a run of n
// costs log n. Rules are never empty, so no neutral value is needed; the start rule of an empty
// stream gets T{}. Sums that are to be found by their value are RuleSums.
#pragma once

#include <cstdint>
#include <vector>

#include "codec/sequitur/grammar.h"

namespace vestige::sequitur {

// `count` (one at least) of the same in a row.
template <class T, class Combine>
T repeated(T each, uint64_t count, const Combine& combine) {
  // From the highest bit of the count down: double, and add one where the bit is set.
  T all = each;
  for (int bit = 62 - __builtin_clzll(count); bit >= 0; --bit) {
    all = combine(all, all);
    if (count >> bit & 1) all = combine(all, each);
  }
  return all;
}

template <class T, class OfTerminal, class Combine>
std::vector<T> annotate(const PlainGrammar& grammar, const OfTerminal& of_terminal,
                        const Combine& combine) {
  std::vector<T> out;
  out.reserve(grammar.rules());
  for (uint32_t rule = 0; rule < grammar.rules(); ++rule) {
    T all{};
    for (uint32_t place = grammar.begin(rule); place < grammar.ends[rule]; ++place) {
      const Run run = grammar.run(place);
      T here =
          repeated<T>(is_rule(run.symbol) ? out[rule_of(run.symbol)] : T(of_terminal(run.symbol)),
                      run.count, combine);
      all = place == grammar.begin(rule) ? std::move(here) : combine(all, here);
    }
    out.push_back(std::move(all));
  }
  return out;
}

}  // namespace vestige::sequitur
