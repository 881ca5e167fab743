// vestige addresses T library: what calls of library functions read and wrote.
#pragma once

#include <optional>

#include "command_line.h"
#include "vestige/trace.h"

namespace vestige::cli {

// `most`: rows at most; `says_more`: and how many more there are.
int write_library_rows(const Trace& trace, std::optional<uint32_t> thread, uint64_t most,
                       bool says_more, const Presentation& presentation);

}  // namespace vestige::cli
