// What OpenMP had each thread do, path by path: in which region, in which round between barriers,
// and on which piece of shared work.
//
// Pieces of work are iterations and chunks of loops, sections (a loop over them), the bodies of
// `single` and `master`, and explicit tasks that ran where they were created. What every thread of
// a team does is the team's own code.
//
// It follows from a thread's paths, from the calls of libomp that they stop at, and from the bounds
// that those gave. An iteration begins where a path comes to the head of the loop. Where the
// compiler made copies of a loop's body, a round has so many iterations; whichever reading gives as
// many as the bounds say is right, and where neither does, nothing is said of the chunk
// (Chunk::known).
//
// Immutable once made. Memory: some 80 bytes for each path inside of regions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "query/schedules/team_code.h"
#include "vestige/result.h"
#include "vestige/trace.h"

namespace vestige::schedules {

// A region of a team, as one thread saw it.
struct TeamRegion {
  uint64_t number = 0;          // in its process
  uint32_t depth = 0;           // activations below
  uint64_t team = 1;            // threads, as recorded
  bool fixed = false;           // the program says how many threads there are, or asks
  bool alone = false;           // an `if` clause says that there is one
  uint64_t asked = UINT64_MAX;  // from this time on something depends on which thread it is
  // Its own stack: what lies there is of this thread, whoever does the work.
  uint64_t stack_first = UINT64_MAX, stack_end = 0;
};

enum class WorkShare : uint8_t { fixed, chunks, each, unknown };

struct Work {
  enum class Kind : uint8_t { loop, single, master, task };
  Kind kind = Kind::loop;
  uint32_t function = kNone, statement = kNone;  // the call
  uint64_t first_time = 0, last_time = 0;        // of its paths
  // Loops. fixed: a part for each thread, or, with a chunk, every so many; chunks: who comes gets
  // one; each: any iteration may be anybody's.
  WorkShare share = WorkShare::unknown;
  bool guided = false;
  bool in_chunks = false;  // a loop over chunks around the one over iterations, without calls
  uint32_t lower = kNone;  // the local variable that gets where a part begins
  int64_t chunk = 0;       // 0: none given
  int64_t iterations = 0;  // of the whole loop
  uint32_t epoch = 0;      // tasks: how often tasks had been waited for
};

struct Chunk {
  uint32_t work = 0;
  int64_t first = 0, stride = 0, length = 0;  // the chunk's pieces: `length` each, so far apart
  int64_t count = 0;                          // iterations
  bool by_copies = false;                     // rounds have several iterations
  bool known = false;
  // By copies: the one that stands by itself, in front of the loop or behind it; -1: none.
  int64_t apart = -1;
  uint32_t loop = kNone;  // that was last
};

// Where an iteration stands in its chunk: the head of this loop came so often before.
struct Visit {
  uint32_t loop = kNone;
  uint32_t from = 0;               // the segment of the path that it begins with
  int64_t rounds = 0, copies = 0;  // counted one by one, and with copies
};

struct Place {
  uint64_t time = 0;
  uint32_t region = kNone;  // ThreadTimeline::regions
  uint32_t round = 0;       // between barriers
  uint32_t epoch = 0;
  uint32_t work = kNone;   // ThreadTimeline::works
  uint32_t chunk = kNone;  // ThreadTimeline::chunks
  bool own = false;        // a path of the function that shares out the work
  bool replica = false;  // another thread of the team would do the same here, at the same addresses
  uint32_t last_work = kNone;  // the loop that ended before it in the same function
  uint8_t visits = 0;
  Visit visit[3];  // in order; where there are more, the last ones are left out
  uint32_t path = 0;
  uint8_t tail = 0xff;  // the visit that its end is in
};

struct ThreadTimeline {
  std::vector<TeamRegion> regions;
  std::vector<Work> works;
  std::vector<Chunk> chunks;
  std::vector<Place> places;  // by time; of paths inside of regions
  bool lost = false;          // not followed to its end: something unusual happened
  // Where its copies of thread-local variables are: ends by beginnings.
  std::map<uint64_t, uint64_t> thread_locals;
  const Place* at(uint64_t time) const;
  bool is_thread_local(uint64_t address, uint64_t bytes) const;
};

struct Timelines {
  std::vector<ThreadTimeline> threads;
  bool limited = false;  // there was more than is kept
};

// `most`: places to keep.
Result<Timelines> read_timelines(const Trace& trace, TeamCode& code, uint64_t most);

}  // namespace vestige::schedules
