// The answer of `vestige addresses` on a cdr, whose addresses are in the file.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "command_line.h"
#include "vestige/query.h"

namespace vestige::cli {

struct PatternLimits {
  bool all = false;              // for people, too
  uint64_t from = 1;             // the first instance of each statement
  std::optional<uint64_t> most;  // rows
};

// Gives the exit code.
int write_patterns(const Trace& trace, const std::vector<StatementRef>& statements,
                   std::optional<uint32_t> thread, bool runs, const PatternLimits& limits,
                   const Presentation& presentation);

}  // namespace vestige::cli
