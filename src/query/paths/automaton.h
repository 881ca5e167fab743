// The pattern as a deterministic automaton over the blocks and calls of one activation. State 0 is
// that of an activation of which nothing has been matched; the automaton looks for matches that
// begin anywhere, so it never gets stuck. For a literal path it is that of Knuth, Morris and Pratt.
//
// Acceptance is on steps: a match ends with the block (or call) that was just read.
//
// Every state's set of positions includes what state 0 hopes for, hence from any state a text gives
// at least the matches it gives from state 0.
#pragma once

#include <cstdint>
#include <vector>

#include "query/paths/expression.h"

namespace vestige {

class Automaton {
 public:
  static Result<Automaton> make(const Expression& expression);

  uint32_t states() const { return states_; }
  uint16_t next(uint32_t state, uint16_t c) const { return next_[state * classes_ + c]; }
  bool accepts(uint32_t state, uint16_t c) const { return accepts_[state * classes_ + c] != 0; }
  uint16_t block_class(uint32_t block) const { return class_of_block_[block]; }
  // The class of a call, or 0 when calls are passed through unseen.
  uint16_t call_class(uint32_t function) const {
    const auto found = class_of_callee_.find(function);
    return found == class_of_callee_.end() ? other_call_ : found->second;
  }
  bool sees_calls() const { return other_call_ != 0; }

 private:
  uint32_t states_ = 0, classes_ = 0;
  std::vector<uint16_t> next_;
  std::vector<uint8_t> accepts_;
  std::vector<uint16_t> class_of_block_;
  std::map<uint32_t, uint16_t> class_of_callee_;
  uint16_t other_call_ = 0;
};

}  // namespace vestige
