// What of a recording a whole execution trace has as it is.
#pragma once

#include <string>

#include "store/writer.h"
#include "vestige/trace.h"

namespace vestige {

// Who ran what: before everything else. The meta chunk says what the copy represents.
Result<void> copy_described(const Trace& trace, StoreWriter& writer, const std::string& represents);
// Synchronization, and how threads and processes ended: behind everything else.
Result<void> copy_rest(const Trace& trace, StoreWriter& writer);

}  // namespace vestige
