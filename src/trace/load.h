// Reads everything of a trace except its control chunks: what opening it takes.
#pragma once

#include <memory>
#include <string>

#include "trace/state.h"

namespace vestige {

// Every chunk but the control chunks is read and checked; control chunks are taken as the
// directory lists them, and checked when they are read.
Result<std::unique_ptr<Trace::State>> load_trace(const std::string& file);

}  // namespace vestige
