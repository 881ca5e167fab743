// The backward slice over the index of dependences.
//
// What is needed waits at the path that gives it, or that is next on the way there:
//
//   of an activation   results, arguments and branches, at the activation's path before
//   of memory          the item that wrote it, at the path the label names
//
// Paths are taken by falling order (Interleaving), so all that need an execution come before it,
// and its depth is right when it enters. Blocks where nothing waits are passed over. No block is
// decoded twice, but for those of threads that read from each other in turn.
//
// Memory: a block, what waits, and the members of the slice when they are wanted.
#pragma once

#include "query/slice/criterion.h"
#include "query/slice/members.h"

namespace vestige {

Result<void> slice_backwards(const SliceGround& ground, const SliceOptions& options,
                             const CriterionPlace& place, SliceMembers& members);

}  // namespace vestige
