// The backward slice, without an index of dependences: goes back over the thread's paths from the
// criterion, window by window, and keeps what is still needed:
//
//   of each activation   results, arguments, and blocks whose branch is looked for
//   of memory            bytes whose writer is looked for (needed_bytes.h)
//
// A statement that gives something of this enters the slice, and what it needs in turn is added.
// All that need an execution come behind it, so its depth is right when it enters.
//
// A path in which nothing is needed and that writes nothing that is needed is passed over.
//
// Memory: one window, what is needed, and the members of the slice when they are wanted.
#pragma once

#include "query/slice/criterion.h"
#include "query/slice/members.h"

namespace vestige {

Result<void> slice_backwards(const Trace& trace, const Windows& windows, const CallNames& names,
                             const SliceOptions& options, const CriterionPlace& place,
                             SliceMembers& members);

}  // namespace vestige
