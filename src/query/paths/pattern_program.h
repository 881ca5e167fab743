// A pattern made ready to run: its automaton, and what a single terminal means for it.
#pragma once

#include "query/paths/automaton.h"
#include "trace/paths/terminal.h"

namespace vestige {

struct PathPattern::Program {
  PatternOptions options;
  Automaton automaton;

  // Only activations called by a certain function.
  bool strict() const { return options.caller != kNone; }
  // Whether a terminal can matter: it is of the function, or a call that the pattern sees.
  bool concerns(const Terminal& t) const {
    return t.function == options.function ||
           (automaton.sees_calls() && t.enters && t.function != kNone);
  }
  // Whether the activation that a terminal enters takes part.
  bool takes_part(const Terminal& t) const {
    return t.function == options.function && (!strict() || t.caller == options.caller);
  }
  // A rule that touches none of these functions cannot matter (touch_bit).
  uint64_t touch_mask() const {
    return automaton.sees_calls() ? ~uint64_t{0} : uint64_t{1} << (options.function % 64);
  }
};

}  // namespace vestige
