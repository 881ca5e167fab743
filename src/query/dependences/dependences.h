// The dependences of a trace, from the file or made on the spot.
#pragma once

#include <optional>

#include "query/dependences/dependence_file.h"

namespace vestige {

// The first sound index of dependences of this trace.
std::optional<DependenceReader> find_dependences(const Trace& trace);
// That, or one in memory. ErrorKind::unsupported when no values were recorded.
Result<DependenceReader> open_evaluated_dependences(const Trace& trace);
// The same, or the edges of a stored whole execution trace (query/wet/open.cpp decides).
Result<DependenceReader> open_dependences(const Trace& trace);

}  // namespace vestige
