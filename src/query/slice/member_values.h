// What the members of a slice had: instance numbers, values, addresses.
#pragma once

#include "trace/windows.h"
#include "vestige/slice.h"

namespace vestige {

// Completes Slice::instances, which are in the order executed. Until then reason_address says where
// in what was read the bytes are: of a library call, in all its ranges one behind the other
// (CallEffect). Only windows that hold members are evaluated.
Result<void> add_values(const Trace& trace, const Windows& windows, bool forward, Slice& slice);

}  // namespace vestige
