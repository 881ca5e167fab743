// What each segment of each thread accessed, as runs.
//
// Threads are evaluated window by window, on all cores. Within a segment the order of accesses does
// not matter, so the accesses of a statement are a bag of addresses: consecutive ones with one
// distance between them are folded at once, and what is left over is sorted and folded again. Equal
// runs are kept once, with how often they occurred. Two addresses alone make no run: the stretch
// between two arbitrary addresses would cover everything.
//
// Memory: 72 bytes per run; those of memory that only one thread touches, or that nobody writes,
// are dropped. Where they are too many, those of a share of memory (shares.h).
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "query/order/happens_before.h"
#include "query/races/strided.h"
#include "trace/windows/windows.h"
#include "vestige/query.h"

namespace vestige::races {

// A statement as somebody who reads or writes. (memcpy does both, and so may a call of a library
// function.)
struct Access {
  uint32_t statement = 0;  // #ID
  bool writes = false;
  bool atomic = false;
  auto operator<=>(const Access&) const = default;
};

struct AccessRun {
  Access access;
  StridedInterval where;
  uint32_t segment = 0;                    // of its strand; of read_runs: the piece of its thread
  uint32_t thread = 0;                     // by_strand: who did it
  uint64_t times = 1;                      // how often it occurred there
  uint64_t first_time = 0, last_time = 0;  // of paths: its accesses lie between
};

struct ThreadRuns {
  std::vector<AccessRun> runs;  // in no order
  uint64_t accesses = 0;
  uint64_t unknown = 0;  // accesses whose address is not known
};

// Calls use(thread, runs) for each window of a thread, and for its atomic accesses; one call at a
// time, from any thread. Only of processes that have several strands. The order has tasks apart.
// Ends early, and well, when `use` says no. Without windows the trace is a cdr, whose runs are
// taken as they are (kept_runs.h).
Result<void> read_runs(const Trace& trace, const Windows* windows, const HappensBefore& order,
                       const std::function<bool(uint32_t, ThreadRuns&)>& use);

// Adds the tasks that use memory that is their thread's own.
void find_own_users(const HappensBefore& order, uint32_t thread, const std::vector<AccessRun>& runs,
                    std::set<threads::TaskNumber>& users);

// And where they write what threads synchronize with.
void find_rewrites(const HappensBefore& order, uint32_t process, uint32_t thread,
                   const std::vector<AccessRun>& runs, threads::RewriteFinder& rewrites);

// The same runs by strand. Without what tasks do to memory that is their thread's own: nobody but
// other tasks of that thread does anything there meanwhile.
std::vector<ThreadRuns> by_strand(const HappensBefore& order, std::vector<ThreadRuns>&& threads);

// Drops the runs of memory that cannot race. What is left may still be private. By strand.
void drop_private(const Trace& trace, const HappensBefore& order, std::vector<ThreadRuns>& strands);

}  // namespace vestige::races
