// Scheme 2 (section 4.2 of the path-matching paper): matching on the compressed trace. All rules
// are summarised from the bottom up, then the start rules are walked symbol by symbol.
#include "query/paths/grammar_search.h"

namespace vestige {

std::unique_ptr<Scheme> make_grammar_scheme(const SearchSpace& space) {
  std::vector<GrammarSearch::Range> ranges;
  const auto& parts = space.whole.parts;
  for (uint32_t part = 0; part < parts.size(); ++part) {
    const uint32_t start = parts[part].start();
    ranges.push_back({part, parts[part].begin(start), parts[part].ends[start], true, {}});
  }
  return std::make_unique<GrammarSearch>(space, std::move(ranges), true);
}

}  // namespace vestige
