// The plain twins of the grammar code: an expansion, and the invariants of SEQUITUR checked pair by
// pair.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codec/sequitur/plain_grammar.h"

namespace vestige::sequitur {

inline std::vector<uint64_t> expand(const PlainGrammar& grammar) {
  std::vector<std::vector<uint64_t>> rules(grammar.rules());
  for (uint32_t rule = 0; rule < grammar.rules(); ++rule)
    for (uint32_t place = grammar.begin(rule); place < grammar.ends[rule]; ++place) {
      const Run run = grammar.run(place);
      for (uint64_t i = 0; i < run.count; ++i) {
        if (is_rule(run.symbol)) {
          const auto& inner = rules[rule_of(run.symbol)];
          rules[rule].insert(rules[rule].end(), inner.begin(), inner.end());
        } else {
          rules[rule].push_back(grammar.terminals[run.symbol]);
        }
      }
    }
  return rules.back();
}

// What is wrong with a grammar that the builder made; empty if nothing is.
inline std::string broken_invariant(const PlainGrammar& grammar) {
  std::set<std::pair<Symbol, Symbol>> pairs;
  std::vector<uint64_t> uses(grammar.rules());
  for (uint32_t rule = 0; rule < grammar.rules(); ++rule) {
    const auto body = grammar.body(rule);
    if (rule != grammar.start() && body.size() < 2) return "a rule of one symbol";
    for (uint32_t place = grammar.begin(rule); place < grammar.ends[rule]; ++place) {
      const Run run = grammar.run(place);
      if (is_rule(run.symbol)) {
        if (rule_of(run.symbol) >= rule) return "a rule before what it uses";
        uses[rule_of(run.symbol)] += run.count;
      }
      if (place + 1 == grammar.ends[rule]) continue;
      if (grammar.run(place + 1).symbol == run.symbol) return "equal neighbours";
      if (!pairs.insert({grammar.symbols[place], grammar.symbols[place + 1]}).second)
        return "a pair that occurs twice";
    }
  }
  for (uint32_t rule = 0; rule < grammar.start(); ++rule)
    if (uses[rule] < 2) return "a rule that is used once";
  return {};
}

// "S→B^2 B→abc": terminals as letters, rules named in the order they are met. For small ones.
inline std::string text(const PlainGrammar& grammar) {
  std::vector<std::string> names(grammar.rules());
  std::vector<uint32_t> order = {grammar.start()};
  names[grammar.start()] = "S";
  std::string out;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i > 0) out += ' ';
    out += names[order[i]] + "→";
    for (uint32_t place = grammar.begin(order[i]); place < grammar.ends[order[i]]; ++place) {
      const Run run = grammar.run(place);
      if (is_rule(run.symbol)) {
        std::string& name = names[rule_of(run.symbol)];
        if (name.empty()) {
          name = std::string(1, static_cast<char>('A' + order.size() - 1));
          order.push_back(rule_of(run.symbol));
        }
        out += name;
      } else {
        out += static_cast<char>(grammar.terminals[run.symbol]);
      }
      if (run.count > 1) out += '^' + std::to_string(run.count);
    }
  }
  return out;
}

}  // namespace vestige::sequitur
