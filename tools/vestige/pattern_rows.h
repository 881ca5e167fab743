// The answer of `vestige addresses` on a cdr, whose addresses are in the file.
#pragma once

#include <optional>
#include <vector>

#include "command_line.h"
#include "vestige/query.h"

namespace vestige::cli {

// Gives the exit code.
int write_patterns(const Trace& trace, const std::vector<StatementRef>& statements,
                   std::optional<uint32_t> thread, bool runs, bool all,
                   const Presentation& presentation);

}  // namespace vestige::cli
