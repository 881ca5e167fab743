// What the workers of a pool have of their own where their rounds begin, and which rounds depend on
// it: one worker could do another one's round as far as it does not.
//
// A worker's own are values in registers (round_registers.h), its stack, and its thread-local variables.
// What a round uses of them is the same in all workers where it was written by one statement last,
// whenever one of them came there, which always wrote the same; of addresses in its own stack, the
// same distance. What is not is followed (round_walk.h).
//
// A round that reads thread-local variables that it did not write, or asks who it is, is its own
// thread's from there on, too (RoundFacts::own_from).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "query/schedules/workers.h"

namespace vestige::schedules {

struct RoundFacts {
  std::set<uint64_t> apart;  // #IDs: access memory that differs from worker to worker
  std::vector<std::vector<uint64_t>> own_from;  // by thread, rising: times
  // By thread: where its thread-local variables are, ends by beginnings.
  std::vector<std::map<uint64_t, uint64_t>> thread_locals;
  bool limited = false;  // there was more than is looked at: nothing is known

  bool is_own(const Workers& workers, uint32_t thread, uint64_t address, uint64_t bytes) const;
};

// `most`: accesses to look at.
Result<RoundFacts> read_round_facts(const Trace& trace, const Workers& workers, uint64_t most);

}  // namespace vestige::schedules
