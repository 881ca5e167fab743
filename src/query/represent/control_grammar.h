// A thread's control flow as few chunks whose words are grammars, with the thread's synchronization operations
// marked in them.
#pragma once

#include <functional>

#include "store/writer.h"
#include "trace/state.h"
#include "vestige/trace.h"

namespace vestige {

// Gives the bytes of the grammars.
Result<uint64_t> write_control(const Trace& trace, uint32_t thread, StoreWriter& writer,
                               const std::function<void(uint64_t)>& progress);

}  // namespace vestige
