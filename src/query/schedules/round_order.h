// Whether so many workers can do it: an order of events in which two rounds stand side by side.
//
// The events are those of an ideal (races/sync_preserving.h) whose threads are rounds: what must
// come before the two accesses. They run one by one. Each read has to see the write that it saw,
// locks exclude, edges hold, and a round begins only when there is a worker that came to the place
// where rounds begin and does none. A round that is over gives its worker back; so rounds that the
// ideal has in part are done to their end where that needs neither access. One that is its own
// thread's (RoundFacts), and all that this one did before, take that one.
//
// Two orders are tried: the recorded one, with the beginnings of all workers in front, and one in
// which whatever began goes on until it cannot. So what is found is an order that was checked event
// by event, and some may be missed.
//
// One owner thread. Time: an ideal's events, for each pair that is tried.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "query/races/sync_preserving.h"

namespace vestige::schedules {

// What each thread of the history is.
struct RoundUnit {
  enum class Kind : uint8_t { other, beginning, round };
  Kind kind = Kind::other;
  uint32_t pool = 0;
  uint32_t thread = 0;             // the worker that did it
  uint32_t own_from = UINT32_MAX;  // of rounds: the first event that is of its own thread
  bool ends = false;               // its worker does no round behind it
};

class RoundOrder {
 public:
  RoundOrder(const races::SyncPreserving& events, const std::vector<RoundUnit>& units)
      : events_(events), units_(units) {}

  // Both accesses next, each a round's of one pool. Ends early when the budget is used up: then it
  // is 0.
  bool side_by_side(const races::SyncPreserving::Found& found, uint64_t& budget) const;

 private:
  using Prefixes = std::vector<uint32_t>;
  class Run;

  bool holds(const Prefixes& ideal, const races::SyncPreserving::Found& found) const;
  void complete(Prefixes& ideal, const races::SyncPreserving::Found& found, uint64_t& budget) const;

  const races::SyncPreserving& events_;
  const std::vector<RoundUnit>& units_;
};

}  // namespace vestige::schedules
