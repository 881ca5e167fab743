// Which races may be consequences of others: Netzer and Miller's event-control dependence
// (parallel-executions.txt, 4.2). docs/threads.md (Artifacts) has the definition, and says where it
// departs from the paper's.
//
// How: the executions of the statements that race become sites (racing_accesses.h). Where no racing
// read comes before either side of any race's witness, there is no artifact, and that is all.
// Otherwise the dependences of all threads are walked (event_control.h), which gives what chose
// each racing access; then all pairs of sites that race are looked at. All of it is exact, or given
// up.
#pragma once

#include <string>
#include <vector>

#include "query/races/meeting_pairs.h"
#include "vestige/races.h"

namespace vestige::races {

// What races in a trace.
struct RacesFound {
  const Trace& trace;
  const Windows& windows;
  const HappensBefore& order;  // with tasks apart
  const Pairs& pairs;          // all of them
  uint64_t accesses = 0;       // of statements that race: about how many executions
};

// Sets Race::artifact_of of the races that are reported, which are some of those found. Nothing is
// set where that would be too much work; then says why: otherwise the text is empty.
Result<std::string> mark_artifacts(const RacesFound& found, std::vector<Race>& races);

}  // namespace vestige::races
