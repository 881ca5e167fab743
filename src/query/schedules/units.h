// Units of work: what OpenMP hands to one thread as a whole, and which two of them it may hand to
// two.
//
// The assignment that is looked for: a team of kWorkers threads where the program does not say how
// many there are, else as many as there were. Loops of a fixed schedule go to them as libomp deals
// them out; chunks of other schedules, `single` bodies and tasks go to anybody; `master` is worker
// 0. Nothing else changes: the recorded order of events stays, so every value stays what it was.
#pragma once

#include <cstdint>
#include <vector>

#include "query/schedules/timeline.h"

namespace vestige::schedules {

inline constexpr int64_t kWorkers = 1024;

struct Unit {
  enum class Kind : uint8_t { none, team, chunk_code, piece, single, master, task };
  Kind kind = Kind::none;
  uint32_t work = kNone;
  int64_t number = 0;     // piece: of a fixed loop the worker, else the chunk
  int64_t iteration = 0;  // piece: the one that it lies in
  bool bound = false;     // whose it is follows from its number: a worker
};

// An access, or an operation, as far as it matters to who could have done it.
struct Standing {
  Unit unit;
  uint64_t time = 0;
  uint32_t epoch = 0;
  bool replica = false;  // another thread of the team would do the same
};

class Units {
 public:
  Units(const Trace& trace, const ThreadTimeline& line, TeamCode& code)
      : trace_(trace), line_(line), code_(code) {}

  // Of a statement of the function whose path this is.
  Standing of(const Place& place, uint32_t function, uint32_t statement) const;
  // What other threads would read in the same place, before their first iteration: its unit, and
  // how far from here. The compiler moves such reads out of loops.
  struct Elsewhere {
    Standing standing;
    int64_t distance = 0;
  };
  std::vector<Elsewhere> first_reads(const Place& place, uint32_t function,
                                     uint32_t statement) const;
  // Of a copy or fill that the compiler made of a whole loop: what each iteration has of it. Empty:
  // it is none.
  struct Parts {
    std::vector<Elsewhere> each;
    uint64_t bytes = 0;
  };
  Parts parts(const Place& place, uint32_t function, uint32_t statement, bool writes,
              uint64_t bytes) const;
  // Of what the path stops at.
  Standing of_end(const Place& place) const;
  // Whether two threads may do them, each one.
  bool may_part(const Place& at, const Standing& a, const Standing& b) const;

 private:
  Standing of_loop(const Place& place, uint32_t function, uint32_t statement) const;
  uint32_t segment_of(const Place& place, uint32_t function, uint32_t statement) const;
  Unit of_visit(const Place& place, const Visit& visit, uint32_t copy) const;
  Unit piece(const TeamRegion& region, uint32_t work, uint32_t chunk, int64_t iteration) const;
  bool tasks_part(const Standing& a, const Standing& b) const;
  bool team_parts(const TeamRegion& region, const Standing& team, const Standing& other) const;

  const Trace& trace_;
  const ThreadTimeline& line_;
  TeamCode& code_;
};

}  // namespace vestige::schedules
