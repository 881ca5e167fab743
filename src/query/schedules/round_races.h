// Races that need another schedule of a pool: what one worker did in two of its rounds, or two
// workers in an order that only their rounds made, and that two may do at the same time.
//
// Rounds take the place of threads in what races/sync_preserving.h looks for: none comes behind
// another one for its worker's sake. Each pair is checked to need no more workers than there are
// (round_order.h).
//
// One pair for each pair of statements is looked for. Memory: as for predicted races.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "query/schedules/other_schedules.h"
#include "query/variables/global_names.h"
#include "vestige/races.h"

namespace vestige::schedules {

// Those that are not among `observed`. `limit`: why not everything was looked at, else left alone.
Result<std::vector<Race>> find_round_races(const Trace& trace, const RaceOptions& options,
                                           const races::GlobalNames& names,
                                           const std::set<RacePair>& observed, std::string& limit);

}  // namespace vestige::schedules
