// The order in which the members of a slice were executed.
#pragma once

#include "base/spill_array.h"
#include "query/dependences/dependences.h"
#include "vestige/slice.h"

namespace vestige {

// Their places in `members`. Those of one path were found in that order, or backwards in the
// opposite one.
SpillArray<uint32_t> member_order(bool forward, const Interleaving& interleaving,
                                  SpillArray<SliceInstance>& members);

}  // namespace vestige
