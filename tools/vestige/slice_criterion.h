// How a user names the execution that a slice is about.
#pragma once

#include <string>

#include "command_line.h"
#include "vestige/slice.h"

namespace vestige::cli {

// The flags --at and --thread.
void add_criterion(CommandLine& line, std::string& at, std::string& thread);
// What they say: STATEMENT[@INSTANCE], and a thread unless it is empty.
Result<SliceOptions> parse_criterion(const Trace& trace, const std::string& text,
                                     const std::string& thread);

// Reports why there is no slice: an execution that is not there is wrong use. Gives the exit code.
int report_slice(const Error& error);

}  // namespace vestige::cli
