#include "trace/paths/path_grammar.h"

#include <cstdlib>

namespace vestige {

using namespace sequitur;

namespace {

// No thread lives longer, and no call stack is deeper: sums within these do not wrap.
constexpr uint64_t kMostTimes = uint64_t{1} << 62;
constexpr int64_t kMostDepth = INT32_MAX;

bool is_possible(const Extent& extent) {
  return extent.times <= kMostTimes && std::abs(extent.net) <= kMostDepth &&
         extent.lowest >= -kMostDepth;
}
bool is_possible(const Extent& one, uint64_t count) {
  return (one.times == 0 || count <= kMostTimes / one.times) &&
         (one.net == 0 || count <= static_cast<uint64_t>(kMostDepth / std::abs(one.net)));
}

}  // namespace

std::optional<RuleFacts> PathGrammar::facts_of(uint32_t rule) const {
  if (ends[rule] < begin(rule) || ends[rule] > symbols.size()) return std::nullopt;
  Extent all;
  uint64_t touches = 0;
  for (uint32_t place = begin(rule); place < ends[rule]; ++place) {
    if (is_run(symbols[place]) && symbols[place] - kRunBase >= runs.size()) return std::nullopt;
    const auto [symbol, count] = run(place);
    if (is_rule(symbol) ? rule_of(symbol) >= rule : symbol >= terminals.size()) return std::nullopt;
    Extent here = extent(symbol);
    if (count != 1) {
      if (!is_possible(here, count)) return std::nullopt;
      here = repeated(here, count);
    }
    all = joined(all, here);
    if (!is_possible(all)) return std::nullopt;
    touches |= touched(symbol);
  }
  return RuleFacts{all.times, touches, static_cast<int32_t>(all.net),
                   static_cast<int32_t>(all.lowest)};
}

Result<void> PathGrammar::check() const {
  const auto bad = [] {
    return fail(ErrorKind::corrupt, "a grammar of whole program paths is malformed");
  };
  if (rules.empty() || ends.size() != rules.size() || ends.back() != symbols.size()) return bad();
  for (const Terminal& terminal : terminals)
    if (terminal.lowest > std::min(terminal.net, 0)) return bad();
  for (const RunRecord& run : runs)
    if (run.count < 2 || is_run(run.symbol)) return bad();
  for (uint32_t rule = 0; rule < rules.size(); ++rule) {
    if (facts_of(rule) != rules[rule]) return bad();
    if (ends[rule] == begin(rule) && rule != start()) return bad();
  }
  return {};
}

}  // namespace vestige
