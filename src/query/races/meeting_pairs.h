// Which accesses of different strands (happens_before.h: threads, and tasks) meet while nothing
// orders them.
//
// A strand's runs are grouped: one group for each access and run, with the segments it occurred in.
// For two strands, the groups whose stretches of memory overlap are found by a sweep over
// addresses; how many of their accesses meet is counted once for the two groups (strided.h), and in
// how many pairs of concurrent segments they occurred by going through both lists of segments at
// once, for concurrent segments follow each other (happens_before.h).
//
// Cost: sorting, the overlaps, and the lists of those groups that meet.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "query/races/access_runs.h"
#include "query/races/shares.h"

namespace vestige::races {

struct PairKey {
  Access a, b;  // a <= b
  auto operator<=>(const PairKey&) const = default;
};

// One meeting: of the first segments, by strand and segment, then the lowest address, then the
// earliest runs.
struct Meeting {
  uint32_t strand[2] = {};
  uint32_t segment[2] = {};
  uint64_t address = 0;
  AccessRun run[2];  // that hold the accesses
};

struct PairFound {
  uint64_t count = 0;  // pairs of instances; UINT64_MAX: at least so many
  Meeting first;
};

using Pairs = std::map<PairKey, PairFound>;

// Adds the pairs that meet in the share. The runs must be those of by_strand, cut to it, in any
// order; they are sorted here.
void find_pairs(const Trace& trace, const HappensBefore& order, const Share& share,
                std::vector<ThreadRuns>& strands, Pairs& pairs);

}  // namespace vestige::races
