// Pools of worker threads: threads that begin with the same function and come, round by round, to
// the same place, where any of them may go on with what there is to do.
//
// That place is a call that takes something (a lock, a token of a semaphore, what came through a
// descriptor) or an atomic operation that reads. A *round* is what a worker does from one time that
// it took something there, with no lock in its hands, up to the next one. Whether one worker could
// do a round of another one is another question (carried.h).
//
// Immutable once made. Memory: some 40 bytes for each round.
#pragma once

#include <cstdint>
#include <vector>

#include "vestige/result.h"
#include "vestige/trace.h"

namespace vestige::schedules {

// An activation, and the statement that it stands at.
struct RoundFrame {
  uint32_t function = kNone, statement = kNone;
  auto operator<=>(const RoundFrame&) const = default;
};

// The activations of a thread, outermost first.
using RoundFrames = std::vector<RoundFrame>;

struct JobPool {
  std::vector<uint32_t> threads;
  size_t loop = 0;  // among frames: the innermost activation that stays from round to round
};

struct WorkerRound {
  uint32_t pool = 0, thread = 0;
  uint32_t place = 0;   // Workers::places: where it begins
  uint64_t number = 0;  // of its thread's, from 0
  uint64_t stamp = 0;   // of the operation that it begins with
  uint64_t time = 0;    // of the path that ends in that
  bool last = false;    // its thread comes to its end behind it, or nobody knows
};

struct Workers {
  std::vector<JobPool> pools;
  std::vector<WorkerRound> rounds;           // by thread, in order
  std::vector<RoundFrames> places;           // the compiler may have made copies of one
  std::vector<std::vector<uint64_t>> asked;  // by thread: times of paths that ask who it is
  std::vector<std::pair<uint64_t, uint64_t>> stacks;  // by thread: its own, and where it ends
  bool limited = false;                               // there are more rounds than are told apart

  // The rounds of a thread: where they begin and end among `rounds`.
  std::pair<size_t, size_t> of(uint32_t thread) const;
};

Result<Workers> find_workers(const Trace& trace);

}  // namespace vestige::schedules
