#include "query/paths/rule_summaries.h"

namespace vestige {

using namespace sequitur;

RuleSummaries::RuleSummaries(const Trace& trace, const PathGrammar& grammar,
                             const PathPattern::Program& pattern)
    : grammar_(grammar),
      pattern_(pattern),
      transforms_(pattern.automaton),
      mask_(pattern.touch_mask()),
      of_terminal_(grammar.terminals.size(), kMeansNothing),
      rule_pages_(grammar.rules.size() * sizeof(Meaning)),
      scratch_(pattern.strict()),
      power_(pattern.strict()),
      square_(pattern.strict()) {
  learn_terminals(trace);
}

RuleSummaries::Meaning RuleSummaries::keep(const Levels& levels) {
  const LevelsView v = levels.view();
  if (full() || (v.count == 0 && v.before.empty() && v.open.empty())) return kMeansNothing;
  if (v.count == 0 && v.open.empty() && v.before.size() == 1 && v.before.front().depth == 0)
    return {Meaning::blocks, v.before.front().what, v.before.front().count};
  const auto begin = static_cast<uint32_t>(pool_.size());
  pool_.insert(pool_.end(), v.before.begin(), v.before.end());
  pool_.insert(pool_.end(), v.open.begin(), v.open.end());
  summaries_.push_back({v.count, begin, static_cast<uint32_t>(v.before.size()),
                        static_cast<uint32_t>(v.open.size())});
  return {Meaning::levels, static_cast<uint32_t>(summaries_.size() - 1), 0};
}

void RuleSummaries::learn_terminals(const Trace& trace) {
  const Automaton& automaton = pattern_.automaton;
  std::vector<uint16_t> classes;
  for (size_t t = 0; t < grammar_.terminals.size(); ++t) {
    const Terminal& terminal = grammar_.terminals[t];
    if (!pattern_.concerns(terminal)) continue;
    Transforms::Made innermost;
    if (terminal.enters && automaton.sees_calls()) {
      const uint16_t call[] = {automaton.call_class(terminal.function)};
      innermost = transforms_.of(call);
    }
    uint32_t entered = kNone;
    uint64_t count = 0;
    const Path* path =
        terminal.function == pattern_.options.function ? trace.path(terminal.path) : nullptr;
    if (path && (!terminal.enters || pattern_.takes_part(terminal))) {
      classes.clear();
      for (const uint32_t block : path->blocks) classes.push_back(automaton.block_class(block));
      const auto made = transforms_.of(classes);
      if (terminal.enters) {
        count = made.count;
        if (!terminal.leaves) entered = transforms_.next(made.transform, 0);
      } else {
        innermost = made;
      }
    }
    scratch_.set(innermost, entered, count);
    of_terminal_[t] = keep(scratch_);
  }
}

void RuleSummaries::walk(uint32_t begin, uint32_t end, Levels& levels) {
  for (uint32_t place = begin; place < end; ++place) {
    prefetch(place, end);
    if (passes(grammar_.symbols[place], levels)) continue;
    const Run run = grammar_.run(place);
    const Meaning& meaning = find(run.symbol);
    const Extent extent = grammar_.extent(run);
    if (meaning.kind == Meaning::nothing) {
      levels.pass(extent);
    } else if (meaning.kind == Meaning::blocks &&
               (run.count == 1 || (extent.net == 0 && extent.lowest == 0))) {
      levels.apply(run.count == 1 ? meaning.made() : transforms_.power(meaning.made(), run.count),
                   transforms_);
      levels.pass(extent);
    } else if (run.count == 1) {
      levels.apply(view(meaning), extent, transforms_);
    } else {
      power(run.symbol, run.count, power_);
      levels.apply(power_.view(), extent, transforms_);
    }
    if (full()) return;
  }
}

// From the highest bit of the count down: double, and add one where the bit is set.
void RuleSummaries::power(Symbol symbol, uint64_t count, Levels& out) {
  const Meaning meaning = find(symbol);
  const Extent extent = grammar_.extent(symbol);
  const auto once = [&] {
    if (meaning.kind == Meaning::levels) return out.apply(view(meaning), extent, transforms_);
    if (meaning.kind == Meaning::blocks) out.apply(meaning.made(), transforms_);
    out.pass(extent);
  };
  out.clear();
  once();
  for (int bit = 62 - __builtin_clzll(count); bit >= 0; --bit) {
    square_ = out;
    const Extent so_far = square_.extent();
    out.apply(square_.view(), so_far, transforms_);
    if (count >> bit & 1) once();
    if (out.view().open.size() + out.view().before.size() > kMostLevels) {
      pool_.resize(kMostLevels + 1);  // full
      return;
    }
  }
}

// The rules below come first, by a stack of our own: grammars can be deep.
void RuleSummaries::summarise(uint32_t rule) {
  std::vector<std::pair<uint32_t, uint32_t>> waiting = {{rule, grammar_.begin(rule)}};
  while (!waiting.empty()) {
    auto& [at, place] = waiting.back();
    uint32_t below = kNone;
    for (; place < grammar_.ends[at] && below == kNone; ++place) {
      const Symbol s = grammar_.run(place).symbol;
      if (is_rule(s) && (grammar_.rules[rule_of(s)].touched & mask_) != 0 &&
          of_rule()[rule_of(s)].kind == Meaning::unknown)
        below = rule_of(s);
    }
    if (below != kNone) {
      waiting.emplace_back(below, grammar_.begin(below));
      continue;
    }
    const uint32_t done = at;
    waiting.pop_back();
    scratch_.clear();
    walk(grammar_.begin(done), grammar_.ends[done], scratch_);
    of_rule()[done] = keep(scratch_);
  }
}

void RuleSummaries::summarise_all() {
  for (uint32_t rule = 0; rule < grammar_.start() && !full(); ++rule) {
    if ((grammar_.rules[rule].touched & mask_) == 0 || of_rule()[rule].kind != Meaning::unknown)
      continue;
    scratch_.clear();
    walk(grammar_.begin(rule), grammar_.ends[rule], scratch_);
    of_rule()[rule] = keep(scratch_);
  }
}

}  // namespace vestige
