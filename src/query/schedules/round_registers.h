// What the code of a worker carries into a round in values of its own (registers).
//
// A frame is a function, and the statement that it stands at when a round begins. Only what comes
// behind that until the next round is of interest: in the function with the loop, the loop.
#pragma once

#include <cstdint>
#include <vector>

#include "query/schedules/workers.h"

namespace vestige::schedules {

// What was there before the round, and may be used in it.
struct CarriedValues {
  std::vector<uint32_t> statements, arguments;
};

class RoundRegisters {
 public:
  // `loops`: the frame whose loop goes round; else one inside of that.
  RoundRegisters(const Function& function, uint32_t statement, bool loops);

  CarriedValues carried() const;

 private:
  bool used_behind(const Operand& what) const;
  bool uses_in(uint32_t block, uint32_t first, const Operand& what, bool& stops) const;
  bool uses_on_edge(uint32_t from, uint32_t to, const Operand& what) const;
  bool inside(uint32_t block) const { return inside_[block]; }

  const Function& function_;
  const uint32_t statement_;
  std::vector<bool> inside_;  // by block: of the round
};

}  // namespace vestige::schedules
