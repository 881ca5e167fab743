// What the members of a slice had: instance numbers, values, addresses.
#pragma once

#include "base/spill_array.h"
#include "query/slice/block_cursor.h"
#include "trace/windows.h"
#include "vestige/slice.h"

namespace vestige {

// Completes the members; `order`: their places, in the order executed. Until then reason_address
// says where in what was read the bytes are: of a library call, in all its ranges one behind the
// other (CallEffect). Only windows that hold members are evaluated.
Result<void> add_values(const SliceGround& ground, const Windows& windows, bool forward,
                        const std::vector<SliceStatement>& statements,
                        SpillArray<SliceInstance>& members, SpillArray<uint32_t>& order);

}  // namespace vestige
