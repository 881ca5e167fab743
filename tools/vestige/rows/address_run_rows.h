// The answer of `vestige addresses --runs`.
#pragma once

#include <optional>
#include <vector>

#include "command_line.h"
#include "vestige/values.h"

namespace vestige::cli {

// Gives the exit code.
int write_runs(const Trace& trace, const std::vector<StatementRef>& statements,
               std::optional<uint32_t> thread, bool all, const Presentation& presentation);

}  // namespace vestige::cli
