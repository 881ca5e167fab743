// What is told of one pair of accesses that race: when, from where, and with which locks.
#pragma once

#include <vector>

#include "query/races/global_names.h"
#include "query/races/meeting_pairs.h"
#include "vestige/races.h"

namespace vestige::races {

// The side's time, stack and locks. `meetings` and `races` go together; both sides of each are
// filled in.
Result<void> describe(const Trace& trace, const Windows& windows, const HappensBefore& order,
                      const GlobalNames& names, const std::vector<Meeting>& meetings,
                      std::vector<Race>& races);

}  // namespace vestige::races
