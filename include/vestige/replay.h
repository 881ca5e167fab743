// The references of all threads as one stream, in an order that the recorded synchronization
// allows.
//
//     vestige::read_references_in_sync_order(trace, vestige::kDefaultTurn,
//                                            [](const vestige::Reference& r) { …; return true; });
//
// Threads that may run take turns, so many references each. A thread waits at a synchronization
// operation until all operations with lower stamps are done (sync.h), and begins when the one that
// started it is as far as it was then.
#pragma once

#include <functional>

#include "vestige/api.h"
#include "vestige/trace.h"
#include "vestige/values.h"

VESTIGE_API_BEGIN
namespace vestige {

inline constexpr uint64_t kDefaultTurn = 16;

// Of a full recording; `turn` is at least 1. False from `take` ends it. Gives how many references
// have no known address and were left out.
Result<uint64_t> read_references_in_sync_order(const Trace& trace, uint64_t turn,
                                               const std::function<bool(const Reference&)>& take);

}  // namespace vestige
VESTIGE_API_END
