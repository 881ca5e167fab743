// What is told of one pair of accesses that race: when, from where, and with which locks.
#pragma once

#include <vector>

#include "query/races/meeting_pairs.h"
#include "query/variables/global_names.h"
#include "vestige/races.h"

namespace vestige::races {

// The side's time, stack and locks. `meetings` and `races` go together; both sides of each are
// filled in.
Result<void> describe(const Trace& trace, const Windows* windows, const HappensBefore& order,
                      const GlobalNames& names, const std::vector<Meeting>& meetings,
                      std::vector<Race>& races);

// One side whose time is known: its stack, and the locks that its thread had behind the operation
// with this stamp.
struct KnownSide {
  RaceSide* side = nullptr;
  StatementRef statement;
  uint64_t stamp = 0;
};
Result<void> describe_sides(const Trace& trace, const GlobalNames& names,
                            const std::vector<KnownSide>& sides);

void name_locks(const GlobalNames& names, std::vector<SyncMisuse>& misuses);

}  // namespace vestige::races
