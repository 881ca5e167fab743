#include "trace/paths/path_grammar.h"

namespace vestige {

using namespace sequitur;

Result<void> PathGrammar::check() const {
  const auto bad = [] {
    return fail(ErrorKind::corrupt, "a grammar of whole program paths is malformed");
  };
  if (rules.empty() || ends.size() != rules.size() || ends.back() != symbols.size()) return bad();
  const auto known = [&](Symbol s, uint32_t rule) {
    return is_terminal(s) ? s < terminals.size() : is_rule(s) && rule_of(s) < rule;
  };
  for (const RunRecord& run : runs)
    if (run.count < 2 || is_run(run.symbol)) return bad();
  uint32_t place = 0;
  for (uint32_t rule = 0; rule < rules.size(); ++rule) {
    if (ends[rule] < place || ends[rule] > symbols.size()) return bad();
    if (ends[rule] == place && rule != start()) return bad();
    for (; place < ends[rule]; ++place) {
      const Symbol s = symbols[place];
      if (is_run(s) ? s - kRunBase < runs.size() && known(runs[s - kRunBase].symbol, rule)
                    : known(s, rule))
        continue;
      return bad();
    }
  }
  return {};
}

}  // namespace vestige
