// Races that the recorded order hid (sync_preserving.h, sync_reversal.h), as races of the report.
//
// Atomic accesses are not among them: they are what other threads' reads saw, and an order among
// themselves that stays. Where accesses race, the trace does not tell which came first; the order
// of threads/events.h is taken for the recorded one.
#pragma once

#include <string>
#include <vector>

#include "query/races/meeting_pairs.h"
#include "query/variables/global_names.h"
#include "vestige/races.h"

namespace vestige::races {

// Those that `observed` does not have. `limit`: why not everything was looked at, else left alone.
Result<std::vector<Race>> predict(const Trace& trace, const RaceOptions& options,
                                  const GlobalNames& names, const Pairs& observed,
                                  std::string& limit);

}  // namespace vestige::races
