#include "codec/sequitur/grammar.h"

#include <string>
#include <unordered_map>
#include <utility>

namespace vestige::sequitur {

namespace {

// The first place that stands for nothing, or the number of symbols.
uint32_t first_bad_place(const PlainGrammar& grammar) {
  uint32_t place = 0;
  for (uint32_t rule = 0; rule < grammar.rules(); ++rule)
    for (; place < grammar.ends[rule]; ++place) {
      Symbol s = grammar.symbols[place];
      if (is_run(s)) {
        if (s - kRunBase >= grammar.runs.size()) return place;
        s = grammar.runs[s - kRunBase].symbol;
      }
      const bool known =
          is_rule(s) ? rule_of(s) < rule : is_terminal(s) && s < grammar.terminals.size();
      if (!known) return place;
    }
  return place;
}

}  // namespace

Grammar::Grammar(PlainGrammar rules)
    : rules_(std::make_unique<const PlainGrammar>(std::move(rules))),
      lengths_(*rules_, [](uint32_t) { return 1; }) {}

Result<Grammar> Grammar::make(PlainGrammar rules) {
  for (uint32_t rule = 0; rule < rules.start(); ++rule)
    if (rules.ends[rule] <= rules.begin(rule))
      return fail(ErrorKind::corrupt, "rule " + std::to_string(rule) + " of a grammar is empty");
  if (rules.ends.back() < rules.begin(rules.start()) || rules.ends.back() != rules.symbols.size())
    return fail(ErrorKind::corrupt, "the rules of a grammar do not add up to its symbols");
  if (const uint32_t place = first_bad_place(rules); place < rules.symbols.size())
    return fail(ErrorKind::corrupt,
                "symbol " + std::to_string(place) + " of a grammar stands for nothing before it");
  Grammar grammar(std::move(rules));
  if (grammar.lengths_.overflowed())
    return fail(ErrorKind::corrupt, "a grammar stands for 2^64 values or more");
  return grammar;
}

PlainGrammar join(std::span<const PlainGrammar> parts) {
  if (parts.size() == 1) return parts[0];
  PlainGrammar out;
  out.ends.clear();
  std::unordered_map<uint64_t, uint32_t> numbers;
  std::vector<Symbol> starts;
  for (const PlainGrammar& part : parts) {
    if (part.symbols.empty()) continue;
    std::vector<uint32_t> terminals;
    terminals.reserve(part.terminals.size());
    for (const uint64_t value : part.terminals) {
      const auto [it, added] = numbers.emplace(value, static_cast<uint32_t>(out.terminals.size()));
      if (added) out.terminals.push_back(value);
      terminals.push_back(it->second);
    }
    const auto rules_before = static_cast<uint32_t>(out.ends.size());
    const auto runs_before = static_cast<uint32_t>(out.runs.size());
    const auto symbols_before = static_cast<uint32_t>(out.symbols.size());
    const auto moved = [&](Symbol s) {
      return is_run(s) ? s + runs_before : is_rule(s) ? s + rules_before : terminals[s];
    };
    for (const Run& run : part.runs) out.runs.push_back({moved(run.symbol), run.count});
    for (const Symbol s : part.symbols) out.symbols.push_back(moved(s));
    for (const uint32_t end : part.ends) out.ends.push_back(end + symbols_before);
    starts.push_back(rule_symbol(static_cast<uint32_t>(out.ends.size() - 1)));
  }
  out.symbols.insert(out.symbols.end(), starts.begin(), starts.end());
  out.ends.push_back(static_cast<uint32_t>(out.symbols.size()));
  return out;
}

}  // namespace vestige::sequitur
