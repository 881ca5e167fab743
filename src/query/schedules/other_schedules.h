// Races that need another schedule: accesses of one thread that OpenMP may have two threads do.
//
// For each thread, region and round between barriers: its accesses by the memory they touch, each
// with its unit of work (units.h). Two of them race when they meet, one writes, two threads may do
// their units, and nothing but the thread itself orders them (orders.h). In the recorded order of
// events, with the units given to other threads, they are a race as any other.
//
// One pair for each pair of statements is looked for. Memory: some 100 bytes for each access of a
// round that is not the same as one before it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "query/variables/global_names.h"
#include "vestige/races.h"

namespace vestige::schedules {

// Two statements and what they do, by rising #ID.
struct RacePair {
  uint64_t a = 0, b = 0;
  bool a_writes = false, b_writes = false;
  auto operator<=>(const RacePair&) const = default;
};

RacePair pair_of(const Trace& trace, const Race& race);

// Those that are not among `observed`. `limit`: why not everything was looked at, else left alone.
Result<std::vector<Race>> find_other_schedules(const Trace& trace, const RaceOptions& options,
                                               const races::GlobalNames& names,
                                               const std::set<RacePair>& observed,
                                               std::string& limit);

}  // namespace vestige::schedules
