// Races of orders in which locks are taken in another order than the recorded one (after Shi,
// Mathur, Pavlogiannis: Optimistic prediction of synchronization-reversal data races, ICSE 2024).
//
// As in sync_preserving.h, each thread runs a prefix and every read sees the write that it saw.
// Here the *optimistic* ideal only has of those critical sections of a lock that are not over in it
// all but one released: the one that is still held at an access of the two, or else the last.
// Sections that are over may come in any order, the one that is not comes last. Whether there is
// such an order is a hard question, so it is tried: events run by and by, of those that may run the
// first recorded one; no write runs while a read of what it would overwrite is to come. Where
// nothing may run the search goes back, and where that fails it tries ideals with more sections
// released, both only so often. What comes out is the whole order, and it is checked event by event
// before it counts; so there are no false ones, and some are missed.
//
// Departure from the paper, which decides by an acyclic graph over the ideal: here the order
// itself is built, since a witness is wanted anyway.
//
// Time: what an ideal has of events, for each pair that is tried.
#pragma once

#include "query/races/sync_preserving.h"

namespace vestige::races {

class SyncReversal {
 public:
  // Those that were fed to `events`, which must outlive it.
  explicit SyncReversal(const SyncPreserving& events) : events_(events) {}

  // One race for each pair of tags that has any of those tried and is wanted; Found::order is its
  // order. Ends early when the budget is used up.
  std::vector<SyncPreserving::Found> find(const std::function<bool(uint32_t, uint32_t)>& wanted,
                                          uint64_t& budget) const;

 private:
  using Prefixes = std::vector<uint32_t>;
  struct Pair {
    EventAt a, b;
  };
  class Schedule;

  bool race(const Pair& pair, uint64_t& budget, SyncPreserving::Found& found) const;
  bool attempt(Prefixes ideal, const Pair& pair, uint32_t& attempts, uint64_t& budget,
               SyncPreserving::Found& found) const;
  bool contains(const Prefixes& ideal, const Pair& pair) const;
  bool can_close(const Prefixes& ideal, const Pair& pair, const EventAt& release) const;
  // Whether an order of these events, each once, is a correct one.
  bool is_correct(const std::vector<EventAt>& order, const Prefixes& ideal) const;

  const SyncPreserving& events_;
};

}  // namespace vestige::races
