// The order of conflicting accesses (vestige sync --conflicts), as rows.
#pragma once

#include <optional>

#include "command_line.h"
#include "vestige/trace.h"

namespace vestige::cli {

// Those that lead to accesses of `thread`, or of each thread in turn; `most` of them.
int write_conflicts(const Trace& trace, std::optional<uint32_t> thread, uint64_t most,
                    const Presentation& presentation);

}  // namespace vestige::cli
