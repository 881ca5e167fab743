// Where values lead that differ from worker to worker, in the rounds that one worker did.
//
// Followed are the activations that a worker is in when a round begins, from the innermost that
// stays on: statement by statement, as they ran. A round is its own thread's from the first path on
// in which such a value decides a branch, goes to another function or to memory of others, or is
// read by a function that is not followed. What loads by such an address accesses other memory in
// each worker.
//
// One owner thread. Memory: the values that differ, of the activations that are followed.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "query/schedules/workers.h"

namespace vestige::schedules {

// Of a place where rounds begin, by frame: what differs there.
struct DifferingValues {
  std::vector<std::set<uint32_t>> statements, arguments;
};

// A read of the thread's own memory that differs.
struct DifferingRead {
  uint64_t time = 0;
  uint32_t function = 0, statement = 0;
  auto operator<=>(const DifferingRead&) const = default;
};

struct RoundWalkInput {
  const std::map<uint32_t, DifferingValues>& places;  // Workers::places
  std::vector<DifferingRead> reads;                   // rising
  // A load got the same value in all workers, wherever from.
  std::function<bool(uint32_t function, uint32_t statement)> same;
};

// `apart`: #IDs of statements that access other memory in each worker; `own_from`: times.
Result<void> walk_rounds(const Trace& trace, const Workers& workers, uint32_t thread,
                         const RoundWalkInput& input, std::set<uint64_t>& apart,
                         std::vector<uint64_t>& own_from);

}  // namespace vestige::schedules
