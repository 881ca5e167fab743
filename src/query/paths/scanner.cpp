#include "query/paths/scanner.h"

#include <algorithm>

namespace vestige {

void Scanner::use(std::span<const Terminal> terminals, bool anew) {
  terminals_ = terminals;
  if (anew) steps_.clear();
  std::vector<uint16_t> classes;
  for (size_t t = steps_.size(); t < terminals.size(); ++t) {
    const Terminal& terminal = terminals[t];
    Step step;
    if (pattern_.concerns(terminal) || terminal.path == kNone) {
      step.kind = Kind::other;
      const Path* path = terminal.enters || terminal.leaves || terminal.path == kNone
                             ? nullptr
                             : trace_.path(terminal.path);
      if (path) {
        classes.clear();
        for (const uint32_t block : path->blocks)
          classes.push_back(pattern_.automaton.block_class(block));
        step.blocks = transforms_.of(classes);
        if (!transforms_.full()) step.kind = Kind::inside;
      }
    } else if (terminal.enters && !terminal.leaves) {
      step.kind = Kind::enter;
    } else if (terminal.leaves && !terminal.enters) {
      step.kind = Kind::leave;
    }
    steps_.push_back(step);
  }
}

void Scanner::pass(const Extent& extent) {
  const auto ended = static_cast<uint64_t>(-extent.lowest);
  if (ended >= states_.size())
    states_.assign(1, absent());
  else
    states_.resize(states_.size() - ended);
  states_.resize(states_.size() + static_cast<uint64_t>(extent.net - extent.lowest), absent());
}

uint64_t Scanner::slow(const Terminal& terminal, std::vector<Hit>* hits, uint64_t time) {
  if (terminal.path == kNone) {
    pass({0, terminal.net, terminal.lowest});
    return 0;
  }
  const Automaton& automaton = pattern_.automaton;
  uint64_t found = 0;
  const auto innermost = states_.back() == kAbsent ? kNone : uint32_t{states_.back()};
  if (hits) {
    const size_t before = hits->size();
    hits_in(trace_, pattern_, terminal, innermost, time, *hits);
    found = hits->size() - before;
  }
  const auto read = [&](uint16_t& state, uint16_t c) {
    if (!hits) found += automaton.accepts(state, c);
    state = automaton.next(state, c);
  };
  if (terminal.enters) {
    if (automaton.sees_calls() && innermost != kNone)
      read(states_.back(), automaton.call_class(terminal.function));
    states_.push_back(pattern_.takes_part(terminal) ? 0 : absent());
  }
  if (terminal.function == pattern_.options.function && states_.back() != kAbsent)
    if (const Path* path = trace_.path(terminal.path))
      for (const uint32_t block : path->blocks) read(states_.back(), automaton.block_class(block));
  if (terminal.leaves) leave();
  return found;
}

}  // namespace vestige
