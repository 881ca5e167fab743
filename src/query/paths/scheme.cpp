#include "query/paths/scheme.h"

namespace vestige {

Result<uint64_t> Scheme::skip(uint64_t count) {
  Hit hit;
  for (uint64_t skipped = 0; skipped < count; ++skipped) {
    const auto more = next(hit);
    if (!more) return std::unexpected(more.error());
    if (!*more) return skipped;
  }
  return count;
}

void hits_in(const Trace& trace, const PathPattern::Program& pattern, const Terminal& terminal,
             uint32_t innermost, uint64_t time, std::vector<Hit>& hits) {
  const Automaton& automaton = pattern.automaton;
  if (terminal.enters && automaton.sees_calls() && innermost != kNone &&
      automaton.accepts(innermost, automaton.call_class(terminal.function)))
    hits.push_back({time, 0});
  if (terminal.function != pattern.options.function) return;
  uint32_t state = terminal.enters ? (pattern.takes_part(terminal) ? 0 : kNone) : innermost;
  if (state == kNone) return;
  const Path* path = trace.path(terminal.path);
  if (!path) return;
  for (uint32_t i = 0; i < path->blocks.size(); ++i) {
    const uint16_t c = automaton.block_class(path->blocks[i]);
    if (automaton.accepts(state, c)) hits.push_back({time, i});
    state = automaton.next(state, c);
  }
}

}  // namespace vestige
