// Matches in words and as rows.
#pragma once

#include <string>

#include "command_line.h"
#include "output.h"
#include "vestige/paths.h"

namespace vestige::cli {

// "thread 0.0, time 567, at bzip2.c:120:5, in the activation entered at 12 by main"
std::string match_text(const Trace& trace, const PathSearch& search, const PathMatch& match);

// Every match as a row; the exit code.
int print_matches(const Trace& trace, const PathSearch& search, const PathPattern& pattern,
                  MatchScheme scheme, Format format, Output& out);

}  // namespace vestige::cli
