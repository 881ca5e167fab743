// Control dependences from the successors alone, as docs/wet.md defines them: sets of blocks that
// are on every way, found by going round until nothing changes. Shares nothing with src/program,
// and does not read what the program table says of it.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "vestige/program.h"

namespace vestige {

struct ControlTwin {
  std::vector<std::set<uint32_t>> parents;  // by block
  // By block: the one entry of the endless loop it is in, when it is on every way of a round;
  // otherwise kNone.
  std::vector<uint32_t> rounds;
  bool endless = false;
};
ControlTwin control_twin(const Function& function);

}  // namespace vestige
