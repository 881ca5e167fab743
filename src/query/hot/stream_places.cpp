#include "query/hot/stream_places.h"

namespace vestige {

namespace {

struct Lengths {
  const PathGrammar& grammar;
  const std::vector<uint64_t>& rules;

  uint64_t of(const sequitur::Run& run) const {
    return (sequitur::is_rule(run.symbol) ? rules[sequitur::rule_of(run.symbol)] : 1) * run.count;
  }
};

// How far time moves up to the terminal at `place` of the symbol's expansion.
uint64_t time_inside(const Lengths& lengths, sequitur::Symbol symbol, uint64_t place) {
  const PathGrammar& grammar = lengths.grammar;
  uint64_t time = 0;
  while (sequitur::is_rule(symbol)) {
    const uint32_t rule = sequitur::rule_of(symbol);
    uint32_t at = grammar.begin(rule);
    for (; at < grammar.ends[rule]; ++at) {
      const sequitur::Run run = grammar.run(at);
      const uint64_t length = lengths.of(run);
      if (place >= length) {
        place -= length;
        time += grammar.extent(run).times;
        continue;
      }
      const uint64_t one = length / run.count;
      time += grammar.extent(run.symbol).times * (place / one);
      place %= one;
      symbol = run.symbol;
      break;
    }
    if (at == grammar.ends[rule]) return time;  // the lengths do not add up: damaged
  }
  return time + grammar.extent(symbol).times * place;
}

}  // namespace

std::vector<uint64_t> rule_lengths(const PathGrammar& grammar) {
  std::vector<uint64_t> rules(grammar.rules.size());
  const Lengths lengths{grammar, rules};
  for (uint32_t rule = 0; rule < rules.size(); ++rule)
    for (uint32_t at = grammar.begin(rule); at < grammar.ends[rule]; ++at)
      rules[rule] += lengths.of(grammar.run(at));
  return rules;
}

std::vector<uint64_t> times_at(const WholePaths::Thread& thread, std::span<const uint64_t> places) {
  std::vector<uint64_t> times;
  uint64_t before = 0, time = thread.first_time;  // of the symbol
  for (const PathGrammar& part : thread.parts) {
    if (times.size() == places.size()) break;
    const std::vector<uint64_t> rules = rule_lengths(part);
    const Lengths lengths{part, rules};
    for (uint32_t at = part.begin(part.start()); at < part.ends[part.start()]; ++at) {
      const sequitur::Run run = part.run(at);
      const uint64_t length = lengths.of(run);
      while (times.size() < places.size() && places[times.size()] - before < length) {
        const uint64_t one = length / run.count, place = places[times.size()] - before;
        times.push_back(time + part.extent(run.symbol).times * (place / one) +
                        time_inside(lengths, run.symbol, place % one));
      }
      before += length;
      time += part.extent(run).times;
    }
  }
  times.resize(places.size(), UINT64_MAX);
  return times;
}

}  // namespace vestige
