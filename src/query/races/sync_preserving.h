// Races of other orders: sync-preserving prediction (Mathur, Pavlogiannis, Viswanathan: Optimal
// prediction of synchronization-preserving races, POPL 2021).
//
// A reordering of a trace is correct when each thread runs a prefix of what it ran, every read sees
// the write that it saw, and locks exclude. It preserves synchronization when those who take a lock
// take it in the recorded order, as far as they take it at all. Two accesses race when such a
// reordering runs both threads up to them. It exists exactly when the *ideal* of the two holds
// neither: the smallest set of events that has what comes before them in their threads, with each
// event those it must come behind (in its thread, the write it read from, edges), and of all but
// the last of the acquires of a lock in it the release (section 4). The reordering is the ideal in
// recorded order, so the ideal's prefixes are the witness.
//
// Ideals grow with the accesses, so for the accesses of two threads to one place one walk over both
// lists answers for all pairs (section 4.3). Here the lists are those of a statement under one set
// of locks: two that hold a common lock need no walk, and each pair of statements is asked for.
//
// Departures: edges beyond locks (threads/operations.h) are kept as they are; time is bounded by a
// budget.
//
// Memory: 24 bytes an access, one clock for each event that learned something, and the history.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "query/order/clock.h"
#include "query/races/history.h"

namespace vestige::races {

class SyncPreserving {
 public:
  explicit SyncPreserving(uint32_t threads) : threads_(threads), history_(threads) {}

  // Events in recorded order. Each has a number in its thread, from 1, which is returned. Tags:
  // what did it, times 2, plus 1 when it writes. One that cannot race is only seen by reads.
  uint32_t access(uint32_t thread, std::span<const uint32_t> places, uint32_t tag, bool can_race);
  uint32_t acquire(uint32_t thread, std::span<const uint32_t> locks);
  uint32_t release(uint32_t thread, std::span<const uint32_t> locks);
  uint32_t nothing(uint32_t thread) {
    history_.add(thread, History::Kind::nothing, {});
    return ++threads_[thread].events;
  }
  // The thread's next event comes behind this event of another one.
  void behind(uint32_t thread, uint32_t other, uint32_t event);

  uint32_t events(uint32_t thread) const { return threads_[thread].events; }

  struct Found {
    uint32_t tag[2] = {}, thread[2] = {}, event[2] = {};
    uint32_t place = 0;
    std::vector<uint32_t> prefix;  // by thread: the events that run before both
    std::vector<EventAt> order;    // of sync_reversal.h: all of them, as they run; else as recorded
  };
  // One race for each pair of tags (the lower one first) that has any and is wanted; by rising
  // tags. Ends early when the budget, in small steps, is used up: then it is 0. Only once.
  // `accepts`: whether it will do, else another one is looked for in other threads.
  std::vector<Found> find(const std::function<bool(uint32_t, uint32_t)>& wanted, uint64_t& budget,
                          const std::function<bool(const Found&)>& accepts = nullptr);
  // Adds this event to an ideal, with all that it needs. False: the budget is used up.
  bool extend(std::vector<uint32_t>& ideal, const EventAt& event, uint64_t& budget) const;

  const History& history() const { return history_; }
  // The event that gives back what was acquired there; kNone when none does.
  uint32_t released(uint32_t lock, const EventAt& acquire) const;

 private:
  friend class SyncReversal;

  struct Thread {
    uint32_t events = 0;
    Clock now;                    // what must come before the next event, of others
    std::vector<uint32_t> since;  // events that learned something
    std::vector<Clock> clocks;    // and what was known then
    std::vector<uint32_t> held;   // locks, rising
    uint32_t lock_set = 0;
  };
  struct Entry {
    uint32_t place, thread, tag, lock_set, event;
    auto operator<=>(const Entry&) const = default;
  };
  struct Critical {
    uint32_t acquired = 0, released = kNone;
    uint64_t order = 0;  // over all threads
  };
  struct Lock {
    std::map<uint32_t, std::vector<Critical>> threads;
  };
  using Prefixes = std::vector<uint32_t>;

  using List = std::span<const Entry>;

  // Two lists of accesses that could race by tags, threads and locks; the lower tag first. Entries
  // must be sorted. False ends it.
  void each_pair_of_lists(const std::function<bool(List, List)>& look) const;
  void learn(uint32_t thread, uint32_t other, uint32_t event);
  void learned(Thread& thread, uint32_t event);
  void held_changed(Thread& thread);
  void join(Prefixes& into, uint32_t thread, uint32_t event) const;
  bool close(Prefixes& ideal, uint64_t& budget) const;
  bool share_a_lock(uint32_t a, uint32_t b) const;
  bool race(std::span<const Entry> a, std::span<const Entry> b, uint64_t& budget,
            Found& found) const;

  std::vector<Thread> threads_;
  History history_;
  std::vector<EventAt> sources_;  // of the present access
  std::vector<Entry> entries_;
  std::vector<Lock> locks_;
  std::vector<EventAt> writers_;  // by place
  std::map<std::vector<uint32_t>, uint32_t> lock_sets_ = {{{}, 0}};
  std::vector<std::vector<uint32_t>> sets_ = {{}};
  uint64_t order_ = 0;
};

}  // namespace vestige::races
