// Scheme 1's automaton (section 4.1 of the path-matching paper): a state for every activation on
// the call stack, moved terminal by terminal. Activations of other functions have a state too,
// which never leaves 0: a terminal says itself which function it is of.
//
// Activations below those the trace began with appear when they are returned to, in state 0.
#pragma once

#include <vector>

#include "query/paths/scheme.h"
#include "query/paths/transforms.h"

namespace vestige {

class Scanner {
 public:
  Scanner(const Trace& trace, const PathPattern::Program& pattern)
      : trace_(trace), pattern_(pattern), transforms_(pattern.automaton) {
    states_.push_back(absent());
  }

  // Terminals come as numbers into a table that may grow, or be another one from now on.
  void use(std::span<const Terminal> terminals, bool anew);
  // Counts the matches that end in these.
  uint64_t count(std::span<const uint32_t> numbers) {
    uint64_t found = 0;
    for (const uint32_t n : numbers) {
      const Step& step = steps_[n];
      switch (step.kind) {
        case Kind::stay:
          break;
        case Kind::enter:
          states_.push_back(absent());
          break;
        case Kind::leave:
          leave();
          break;
        case Kind::inside:
          found += inside(step);
          break;
        case Kind::other:
          found += slow(terminals_[n], nullptr, 0);
          break;
      }
    }
    return found;
  }
  // One terminal at this time; its hits are added.
  void step(uint32_t number, uint64_t time, std::vector<Hit>& hits) {
    const Step& step = steps_[number];
    if (step.kind == Kind::enter)
      states_.push_back(absent());
    else if (step.kind == Kind::leave)
      leave();
    else if (step.kind != Kind::stay)
      slow(terminals_[number], &hits, time);
  }
  void pass(const Extent& extent);
  const Terminal& terminal(uint32_t number) const { return terminals_[number]; }

 private:
  // inside: of the function, neither entering nor leaving; its blocks are one transform.
  enum class Kind : uint8_t { stay, enter, leave, inside, other };
  struct Step {
    Kind kind = Kind::stay;
    Transforms::Made blocks;
  };
  uint64_t inside(const Step& step) {
    uint16_t& state = states_.back();
    if (state == kAbsent) return 0;
    const uint64_t found = step.blocks.count + transforms_.extra(step.blocks.transform, state);
    state = transforms_.next(step.blocks.transform, state);
    return found;
  }
  static constexpr uint16_t kAbsent = UINT16_MAX;
  uint16_t absent() const { return pattern_.strict() ? kAbsent : 0; }
  void leave() {
    states_.pop_back();
    if (states_.empty()) states_.push_back(absent());
  }
  uint64_t slow(const Terminal& terminal, std::vector<Hit>* hits, uint64_t time);

  const Trace& trace_;
  const PathPattern::Program& pattern_;
  Transforms transforms_;
  std::span<const Terminal> terminals_;
  std::vector<Step> steps_;
  std::vector<uint16_t> states_;  // never empty: the last is the innermost activation's
};

}  // namespace vestige
