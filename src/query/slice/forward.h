// The forward slice: goes on over the thread's paths from the criterion and keeps what depends on
// it:
//
//   of each activation   results, arguments, and branches that decide on blocks
//   of memory            bytes
//
// The dependences are those of the backward slice, seen from the other end: an execution is in the
// forward slice of another when that one is in its backward slice. What an execution depends on
// comes before it, so its depth is right when it enters.
//
// A path of an activation that has nothing of the slice, and that touches none of its bytes, is
// passed over.
#pragma once

#include "query/slice/criterion.h"
#include "query/slice/members.h"

namespace vestige {

Result<void> slice_forwards(const Trace& trace, const Windows& windows, const CallNames& names,
                            const SliceOptions& options, const CriterionPlace& place,
                            SliceMembers& members);

}  // namespace vestige
