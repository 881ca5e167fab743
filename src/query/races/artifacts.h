// Which races may be consequences of others: Netzer and Miller's event-control dependence
// (parallel-executions.txt, 4.2).
//
// An access *event-controls* another when it comes before it in its thread (and in its task, or tasks that
// are ordered), or when it writes
// memory that the other may use, directly or through other variables, to choose where it accesses.
// A race (c, d) is an artifact of a race (a, b) when a, or b, event-controls both c and d.
//
// "May use" is found in the program's text, not in what happened: from the operands that make up
// the access's address back through computations, local and global variables, arguments and
// results, to every load on the way. When such a load is one side of a race, its other side, the
// write, event-controls the access: nothing orders the two, whatever value was read. Memory behind
// pointers that are not the address of a variable is not followed further than the load itself.
#pragma once

#include <vector>

#include "vestige/races.h"

namespace vestige::races {

// Sets Race::artifact_of. No race is an artifact of itself, nor of one that is, in turn, an
// artifact of it.
void mark_artifacts(const Trace& trace, std::vector<Race>& races);

}  // namespace vestige::races
