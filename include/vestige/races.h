// Data races of a full recording: accesses of different threads, or of different OpenMP tasks, to
// the same memory, at least one of them a write, that no synchronization orders.
//
//     auto report = vestige::find_races(trace, {});
//     for (const vestige::Race& race : report->races) use(race.a, race.b, race.count);
//
// Two statements race when an instance of the one and an instance of the other (or two of the same)
// did, in this recorded execution. docs/threads.md says which operations order what, and what
// counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vestige/api.h"
#include "vestige/query.h"
#include "vestige/sync.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
namespace vestige {

struct RaceAccess {
  StatementRef statement;
  bool writes = false;
  bool atomic = false;
  bool operator==(const RaceAccess&) const = default;
};

// A place in an activation.
struct RaceFrame {
  uint32_t function = kNone;  // Trace::functions(); kNone: not recorded
  uint32_t location = kNone;  // Function::locations
};

struct RaceLock {
  uint64_t object = 0;   // its address
  std::string variable;  // that lives there; empty when that is not known
  bool shared = false;   // had for reading
};

// One of the two accesses of a witness.
struct RaceSide {
  uint32_t thread = 0;
  uint32_t strand = 0;  // the thread, or, behind all threads, where OpenMP tasks follow each other
  uint64_t time = 0;    // of the path
  uint64_t operations = 0;       // synchronization operations its thread had done
  std::vector<RaceFrame> stack;  // innermost first; the first is the access itself
  std::vector<RaceLock> locks;   // held meanwhile, in the order they were taken
};

// How far each thread runs until both accesses are what their threads do next: in the recorded
// order of events, unless turns say which. Threads that do not run at all are left out.
struct RaceReordering {
  struct Prefix {
    uint32_t thread = 0;
    uint64_t time = 0;        // of the path that it runs last; of the two racing ones, in part
    uint64_t operations = 0;  // synchronization operations that it does
  };
  std::vector<Prefix> threads;
  // Where locks are taken in another order: who runs, and how far, one after the other.
  std::vector<Prefix> turns;
};

// The piece of work that an access belongs to, of those that OpenMP, or a pool of worker threads,
// hands to threads as it likes.
struct RaceWork {
  // team: what every thread of the team does; chunk: what a thread does around the iterations it
  // got; round: what a worker thread of a pool does from one time that it takes something to do up
  // to the next.
  enum class Kind : uint8_t { team, iteration, chunk, single, master, task, section, round };
  Kind kind = Kind::team;
  // The call of OpenMP's runtime that hands it out; of a round, the call in the worker's loop with
  // which it begins.
  std::optional<StatementRef> directive;
  // Of an iteration or a section: its number from 0 in the order of the plain loop, and those that
  // go to the same thread with it. Of a round: its number among its thread's, from 0.
  int64_t iteration = 0, chunk_first = 0, chunk_last = 0;
  bool sections = false;  // the loop goes over sections
  bool replica = false;   // another thread of the team would do the same access
};
// The two are done by two threads.
struct RaceSchedule {
  RaceWork a, b;
};

struct Race {
  RaceAccess a, b;  // by rising #ID; of one statement the read first
  // Pairs of instances that race: (i, j) with i of a and j of b, each pair once. UINT64_MAX: so
  // many, or more.
  uint64_t count = 0;
  // A pair of instances that do.
  uint64_t address = 0;  // the first byte both touch
  std::string variable;  // that it belongs to; empty when that is not known
  RaceSide side_a, side_b;
  // The race of which this one may be a consequence only (docs/threads.md, Artifacts): an index
  // into RaceReport::races. That one has none.
  std::optional<size_t> artifact_of;
  // Set: the two did not race as recorded, but would in this order of events, which the trace
  // allows. The count is 1 then: the witness.
  std::optional<RaceReordering> reordering;
  // Set: not as recorded, but OpenMP, or a pool of worker threads, may have two threads do them at
  // the same time (docs/threads.md, Other schedules). The count is 1 then: the witness.
  std::optional<RaceSchedule> other_schedule;
};

struct RaceOptions {
  // Shell patterns. A race is left out when one matches, on either side, the function (demangled,
  // with or without arguments), the file, FILE:LINE (whole or by last components), or the variable.
  std::vector<std::string> suppress;
  bool artifacts = true;  // find out which are
  // Also find races of other orders: those that keep each thread's events and what every read saw.
  // All of those that also keep the order in which locks were taken, and some that reverse it
  // (docs/threads.md).
  bool predict = false;
  // Also find races of accesses that one thread made here, and that OpenMP, or a pool of worker
  // threads, may give to two.
  bool other_schedules = false;
  // About so many bytes for accesses. Where they take more, they are looked at by shares of memory,
  // one after the other, each of which takes as long as all of them would. The races are the same.
  uint64_t memory = uint64_t{1} << 32;
  uint64_t most_accesses = uint64_t{1} << 22;  // of shared memory, looked at to predict
  uint64_t most_steps = uint64_t{1} << 32;     // of the search, each some nanoseconds
};

struct RaceReport {
  std::vector<Race>
      races;  // by #ID of a, then of b; predicted ones, and then those of other schedules, behind them
  uint64_t suppressed = 0;  // races left out
  uint64_t accesses = 0;    // looked at
  uint64_t unknown = 0;     // of those, without a known address
  uint64_t segments = 0;    // stretches between synchronization operations, of all threads
  // Locks that were given back by threads that did not have them: how often, and the first ones.
  uint64_t misuses = 0;
  std::vector<SyncMisuse> first_misuses;
  // Of the prediction: why it did not look at everything; empty when it did.
  std::string limit;
  // The same of other schedules.
  std::string schedules_limit;
  // Why it was not found out which races are artifacts; empty when it was.
  std::string artifacts_limit;
};

// ErrorKind::unsupported when the trace has no values. Without an index (index.h) it is slower.
Result<RaceReport> find_races(const Trace& trace, const RaceOptions& options);

}  // namespace vestige
VESTIGE_API_END
