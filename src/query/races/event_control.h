// What racing writes may have had a say in: the walk that finds which racing accesses were chosen
// by which racing writes (docs/threads.md, Artifacts).
//
// All threads are walked forwards in one order (Interleaving), as a forward slice does
// (query/slice/ forward.h), but what is reached has a set of causes in place of a depth, and
// everything that races is a beginning. A read that races depends on every write that it races
// with, and on all that these depend on. Some of those come behind it in the order, so the walk is
// repeated until nothing is new.
//
// The dependences are those of slices (docs/wet.md). What chose an access: the causes of the
// operands that say where it accesses, and of what decided that it was executed.
#pragma once

#include <optional>
#include <vector>

#include "query/dependences/block_cursor.h"
#include "query/races/cause_sets.h"
#include "query/races/racing_accesses.h"

namespace vestige::races {

// Executions of a site that had the same causes, or none.
struct ChosenBy {
  CauseSets::Id causes = 0;
  StrandPosition earliest, latest;
};

// By site.
using Chosen = std::vector<std::vector<ChosenBy>>;

// Nothing: there is too much of something, and nothing may be concluded.
Result<std::optional<Chosen>> event_control(const SliceGround& ground, const RacingAccesses& racing,
                                            CauseSets& sets);

}  // namespace vestige::races
