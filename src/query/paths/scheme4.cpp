// Scheme 4 (section 4.4 of the path-matching paper): matching on the compressed trace with an index
// over chunks of the start rules. Chunks in which the function does not run are passed over by
// their levels; of the grammar, only rules below the other chunks are summarised.
#include "query/paths/grammar_search.h"

namespace vestige {

std::unique_ptr<Scheme> make_index_scheme(const SearchSpace& space) {
  const ChunkIndex& index = space.whole.by_rule;
  const bool everywhere = space.pattern.automaton.sees_calls();
  const auto holding = index.holding(space.pattern.options.function);
  std::vector<GrammarSearch::Range> ranges;
  auto held = holding.begin();
  for (uint32_t number = 0; number < index.chunks().size(); ++number) {
    const PathChunk& chunk = index.chunks()[number];
    bool here = everywhere && !holding.empty();
    if (held != holding.end() && *held == number) {
      here = true;
      ++held;
    }
    if (!here && !ranges.empty() && !ranges.back().held) {
      ranges.back().extent = joined(ranges.back().extent, chunk.extent);
      continue;
    }
    ranges.push_back({chunk.part, chunk.begin, chunk.end, here, chunk.extent});
  }
  return std::make_unique<GrammarSearch>(space, std::move(ranges), false);
}

}  // namespace vestige
