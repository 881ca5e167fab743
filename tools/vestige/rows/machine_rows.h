// The answer of `vestige machine` as text.
#pragma once

#include <vector>

#include "command_line.h"
#include "vestige/machine.h"

namespace vestige::cli {

struct MachineRows {
  const Trace& trace;
  const MachineLabels& labels;
  const std::vector<MachineStatement>& statements;
  const Presentation& presentation;
  bool lines = false;  // rows are source lines
  size_t top = 0;      // rows at most; 0: all

  // Totals, then the statements or lines that miss most first. With --json one object that has
  // both.
  void print() const;
};

}  // namespace vestige::cli
