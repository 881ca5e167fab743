// The forward slice over the index of dependences: goes on over the paths, in the order of
// Interleaving, from the criterion and keeps what it has reached, of each activation and of memory.
// An execution that uses something of this enters the slice, and what it gives is reached in turn.
// All that it depends on comes before it, so its depth is right when it enters.
//
// A path is passed over when its activation has nothing that is reached, and none of its reads is
// of a reached write; a block, when no such activation goes on in it and it reads from no page of
// time where memory was reached.
//
// Memory: a block, what is reached, and the members of the slice when they are wanted.
#pragma once

#include "query/slice/criterion.h"
#include "query/slice/members.h"

namespace vestige {

Result<void> slice_forwards(const SliceGround& ground, const SliceOptions& options,
                            const CriterionPlace& place, SliceMembers& members);

}  // namespace vestige
