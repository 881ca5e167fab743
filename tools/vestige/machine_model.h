// The flags that describe the modelled machine, and its labels of a trace.
#pragma once

#include <string>

#include "command_line.h"
#include "vestige/machine.h"

namespace vestige::cli {

struct MachineFlags {
  std::string predictor = "tage", l1, l2;

  void add_to(CLI::App& app);
  // Made on the way when they are missing, with a progress bar.
  Result<MachineLabels> labels(const Trace& trace, const Presentation& presentation) const;
};

// Gives the exit code.
int report_labels(const Error& error);

}  // namespace vestige::cli
