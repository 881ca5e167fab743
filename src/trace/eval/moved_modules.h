// Modules whose addresses are not known: a trace has the addresses of a module's first load only,
// and a module that is loaded again (by dlopen, or by another process) may lie elsewhere.
#pragma once

#include <cstdint>
#include <vector>

#include "vestige/trace.h"

namespace vestige {

// Per module of the trace, as seen by this process.
std::vector<bool> moved_modules(const Trace& trace, uint32_t process);

}  // namespace vestige
