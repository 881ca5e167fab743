// How threads share memory (vestige sync --sharing), as rows.
#pragma once

#include "command_line.h"
#include "vestige/sharing.h"

namespace vestige::cli {

// `all`: people get every row, too.
void print_sharing(const Trace& trace, const SharingReport& report,
                   const Presentation& presentation, bool all);

}  // namespace vestige::cli
