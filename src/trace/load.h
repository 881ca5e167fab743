// Reads everything of a trace except its control chunks: what opening it takes.
#pragma once

#include <memory>
#include <string>

#include "trace/state.h"

namespace vestige {

// Every chunk but the control chunks is read and checked; control chunks are taken as the
// directory lists them, and checked when they are read.
Result<std::unique_ptr<Trace::State>> load_trace(const std::string& file);
// The same of so many bytes, all whole chunks, of a recording that is still being made.
Result<std::unique_ptr<Trace::State>> follow_trace(const std::string& file, uint64_t bytes);
// Takes in what has come since, up to so many bytes. False: the program or what it lies at has
// changed, or another process has come; what was taken for settled may not be. The state is of no
// more use then.
Result<bool> catch_up(Trace::State& state, uint64_t bytes);

}  // namespace vestige
