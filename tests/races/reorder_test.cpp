// Predicted races against every correct reordering of small random traces: all of those that
// preserve synchronization, and those that need not.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include "query/races/sync_preserving.h"
#include "query/races/sync_reversal.h"

namespace vestige::races {
namespace {

struct Event {
  enum class Kind { read, write, acquire, release, behind } kind = Kind::read;
  uint32_t thread = 0;
  uint32_t target = 0;  // place or lock; behind: an event of the trace
};
using Events = std::vector<Event>;

// A run of some threads, as a scheduler might have had it: locks exclude.
// `accesses`: of ten events, about.
Events random_trace(std::mt19937& random, uint32_t threads, size_t length, uint32_t accesses = 6) {
  Events events;
  std::vector<std::vector<uint32_t>> held(threads);
  std::set<uint32_t> taken;
  const auto pick = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  while (events.size() < length) {
    const uint32_t t = pick(threads);
    const uint32_t what = pick(10);
    if (what < accesses / 2) {
      events.push_back({Event::Kind::read, t, pick(2)});
    } else if (what < accesses) {
      events.push_back({Event::Kind::write, t, pick(2)});
    } else if (what == accesses && !events.empty() && pick(3) == 0) {
      events.push_back({Event::Kind::behind, t, pick(static_cast<uint32_t>(events.size()))});
    } else if (!held[t].empty() && pick(2) == 0) {
      events.push_back({Event::Kind::release, t, held[t].back()});
      taken.erase(held[t].back());
      held[t].pop_back();
    } else {
      const uint32_t lock = pick(2);
      if (!taken.insert(lock).second) continue;
      held[t].push_back(lock);
      events.push_back({Event::Kind::acquire, t, lock});
    }
  }
  return events;
}

using Pair = std::pair<size_t, size_t>;

enum class Locks { as_recorded, in_any_order };

// Runs threads in every order that is allowed, and sees what is side by side.
class EveryOrder {
 public:
  EveryOrder(const Events& events, uint32_t threads, Locks locks = Locks::as_recorded)
      : events_(events), of_(threads), locks_(locks) {
    std::vector<size_t> writer(2, SIZE_MAX);
    saw_.resize(events.size(), SIZE_MAX);
    for (size_t i = 0; i < events.size(); ++i) {
      of_[events[i].thread].push_back(i);
      if (events[i].kind == Event::Kind::read) saw_[i] = writer[events[i].target];
      if (events[i].kind == Event::Kind::write) writer[events[i].target] = i;
    }
  }
  std::set<Pair> races() {
    State start;
    start.at.resize(of_.size());
    visit(start);
    return found_;
  }

 private:
  struct State {
    std::vector<size_t> at;  // by thread: events run
    std::array<size_t, 2> writer = {SIZE_MAX, SIZE_MAX};
    std::array<bool, 2> taken = {};
    std::array<size_t, 2> last = {};  // acquire of each lock, plus 1
    auto operator<=>(const State&) const = default;
  };
  bool runs(const State& state, size_t i) const {
    const Event& event = events_[i];
    switch (event.kind) {
      case Event::Kind::read:
        return state.writer[event.target] == saw_[i];
      case Event::Kind::acquire:
        return !state.taken[event.target] &&
               (locks_ == Locks::in_any_order || state.last[event.target] <= i);
      case Event::Kind::behind: {
        const uint32_t other = events_[event.target].thread;
        const auto& all = of_[other];
        const auto place = static_cast<size_t>(std::ranges::find(all, event.target) - all.begin());
        return state.at[other] > place;
      }
      default:
        return true;
    }
  }
  void visit(const State& state) {
    if (!seen_.insert(state).second) return;
    std::vector<size_t> next;
    for (size_t t = 0; t < of_.size(); ++t)
      if (state.at[t] < of_[t].size()) next.push_back(of_[t][state.at[t]]);
    const auto accesses = [&](size_t i) {
      return events_[i].kind == Event::Kind::read || events_[i].kind == Event::Kind::write;
    };
    for (const size_t i : next)
      for (const size_t j : next)
        if (i < j && accesses(i) && accesses(j) && events_[i].target == events_[j].target &&
            (events_[i].kind == Event::Kind::write || events_[j].kind == Event::Kind::write))
          found_.emplace(i, j);
    for (const size_t i : next) {
      if (!runs(state, i)) continue;
      State after = state;
      const Event& event = events_[i];
      ++after.at[event.thread];
      if (event.kind == Event::Kind::write) after.writer[event.target] = i;
      if (event.kind == Event::Kind::acquire) {
        after.taken[event.target] = true;
        if (locks_ == Locks::as_recorded) after.last[event.target] = i + 1;
      }
      if (event.kind == Event::Kind::release) after.taken[event.target] = false;
      visit(after);
    }
  }

  const Events& events_;
  std::vector<std::vector<size_t>> of_;  // by thread
  const Locks locks_;
  std::vector<size_t> saw_;  // by read: the write
  std::set<State> seen_;
  std::set<Pair> found_;
};

struct Fed {
  SyncPreserving order;
  std::vector<std::pair<uint32_t, uint32_t>> at;  // by event: thread, number
};

// Tag: `tag_of` of the event's place in the trace.
template <class TagOf>
Fed feed(const Events& events, uint32_t threads, const TagOf& tag_of) {
  Fed fed{SyncPreserving(threads), {}};
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    uint32_t number = 0;
    switch (event.kind) {
      case Event::Kind::read:
      case Event::Kind::write:
        number = fed.order.access(event.thread, {&event.target, 1},
                                  2 * tag_of(i) + (event.kind == Event::Kind::write), true);
        break;
      case Event::Kind::acquire:
        number = fed.order.acquire(event.thread, {&event.target, 1});
        break;
      case Event::Kind::release:
        number = fed.order.release(event.thread, {&event.target, 1});
        break;
      case Event::Kind::behind:
        fed.order.behind(event.thread, fed.at[event.target].first, fed.at[event.target].second);
        number = fed.order.nothing(event.thread);
        break;
    }
    fed.at.emplace_back(event.thread, number);
  }
  return fed;
}

const auto kAll = [](uint32_t, uint32_t) { return true; };

// Runs the prefixes in the order of the trace and demands what a correct reordering demands.
void expect_witness(const Events& events, const Fed& fed, const SyncPreserving::Found& found) {
  std::array<size_t, 2> writer = {SIZE_MAX, SIZE_MAX}, seen = {SIZE_MAX, SIZE_MAX};
  std::array<bool, 2> taken = {};
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    const bool runs = fed.at[i].second <= found.prefix[event.thread];
    if (event.kind == Event::Kind::read && runs) {
      ASSERT_EQ(seen[event.target], writer[event.target]);
    }
    if (event.kind == Event::Kind::write) {
      seen[event.target] = i;
      if (runs) writer[event.target] = i;
    }
    if (event.kind == Event::Kind::acquire && runs) {
      ASSERT_FALSE(taken[event.target]);
      taken[event.target] = true;
    }
    if (event.kind == Event::Kind::release && runs) taken[event.target] = false;
    if (event.kind == Event::Kind::behind && runs) {
      const auto& [thread, number] = fed.at[event.target];
      ASSERT_LE(number, found.prefix[thread]);
    }
  }
  for (const int k : {0, 1}) ASSERT_EQ(found.prefix[found.thread[k]] + 1, found.event[k]);
}

// Every access is a statement of its own: each pair of accesses is asked for.
TEST(Predict, FindsExactlyWhatSomeOrderHas) {
  std::mt19937 random(1);
  size_t racy = 0, quiet = 0;
  for (int round = 0; round < 5000; ++round) {
    const uint32_t threads = 2 + round % 2;
    const Events events = random_trace(random, threads, 6 + random() % 10);
    Fed fed = feed(events, threads, [](size_t i) { return static_cast<uint32_t>(i); });
    uint64_t budget = UINT64_MAX;
    std::set<Pair> mine;
    for (const auto& found : fed.order.find(kAll, budget)) {
      mine.emplace(found.tag[0] / 2, found.tag[1] / 2);
      expect_witness(events, fed, found);
    }
    const std::set<Pair> theirs = EveryOrder(events, threads).races();
    ASSERT_EQ(mine, theirs) << "round " << round;
    (theirs.empty() ? quiet : racy) += 1;
  }
  EXPECT_GT(racy, 100u);
  EXPECT_GT(quiet, 10u);
}

// InlinedVector statements, each with many accesses: one walk has to do for all pairs of instances.
TEST(Predict, FindsEachPairOfStatementsThatHasARace) {
  std::mt19937 random(2);
  for (int round = 0; round < 5000; ++round) {
    const uint32_t threads = 2 + round % 2;
    const Events events = random_trace(random, threads, 6 + random() % 10);
    const auto tag_of = [](size_t i) { return static_cast<uint32_t>(i % 3); };
    Fed fed = feed(events, threads, tag_of);
    uint64_t budget = UINT64_MAX;
    std::set<std::pair<uint32_t, uint32_t>> mine, theirs;
    for (const auto& found : fed.order.find(kAll, budget)) mine.emplace(found.tag[0], found.tag[1]);
    for (const auto& [i, j] : EveryOrder(events, threads).races()) {
      const auto tag = [&](size_t k) {
        return 2 * tag_of(k) + (events[k].kind == Event::Kind::write);
      };
      theirs.emplace(std::min(tag(i), tag(j)), std::max(tag(i), tag(j)));
    }
    ASSERT_EQ(mine, theirs) << "round " << round;
  }
}

// Runs an order event by event and demands what a correct reordering demands.
void expect_order(const Events& events, const Fed& fed, const SyncPreserving::Found& found) {
  std::array<size_t, 2> writer = {SIZE_MAX, SIZE_MAX};
  std::vector<size_t> saw(events.size(), SIZE_MAX);
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind == Event::Kind::read) saw[i] = writer[events[i].target];
    if (events[i].kind == Event::Kind::write) writer[events[i].target] = i;
  }
  writer = {SIZE_MAX, SIZE_MAX};
  std::array<uint32_t, 2> holder = {UINT32_MAX, UINT32_MAX};
  std::vector<uint32_t> ran(found.prefix.size());
  for (const EventAt& at : found.order) {
    ASSERT_EQ(at.event, ++ran[at.thread]);
    const auto here = std::ranges::find(fed.at, std::pair(at.thread, at.event));
    ASSERT_NE(here, fed.at.end());
    const auto i = static_cast<size_t>(here - fed.at.begin());
    const Event& event = events[i];
    switch (event.kind) {
      case Event::Kind::read:
        ASSERT_EQ(writer[event.target], saw[i]);
        break;
      case Event::Kind::write:
        writer[event.target] = i;
        break;
      case Event::Kind::acquire:
        ASSERT_EQ(holder[event.target], UINT32_MAX);
        holder[event.target] = event.thread;
        break;
      case Event::Kind::release:
        ASSERT_EQ(holder[event.target], event.thread);
        holder[event.target] = UINT32_MAX;
        break;
      case Event::Kind::behind:
        ASSERT_GE(ran[fed.at[event.target].first], fed.at[event.target].second);
        break;
    }
  }
  ASSERT_EQ(ran, found.prefix);
  for (const int k : {0, 1}) ASSERT_EQ(ran[found.thread[k]] + 1, found.event[k]);
}

// What is predicted with locks in another order some correct reordering has, and nearly all that
// any has is found.
TEST(Predict, ReversesLocksSoundly) {
  std::mt19937 random(4);
  size_t preserving = 0, reversing = 0, exhaustive = 0;
  for (int round = 0; round < 10000; ++round) {
    const uint32_t threads = 2 + round % 3;
    const Events events = random_trace(random, threads, 8 + random() % 13, 2 + random() % 5);
    Fed fed = feed(events, threads, [](size_t i) { return static_cast<uint32_t>(i); });
    uint64_t budget = UINT64_MAX;
    std::set<Pair> kept, reversed;
    for (const auto& found : fed.order.find(kAll, budget))
      kept.emplace(found.tag[0] / 2, found.tag[1] / 2);
    const SyncReversal reversal(fed.order);
    for (const auto& found : reversal.find(kAll, budget)) {
      reversed.emplace(found.tag[0] / 2, found.tag[1] / 2);
      expect_order(events, fed, found);
      ASSERT_FALSE(HasFatalFailure()) << "round " << round;
    }
    const std::set<Pair> all = EveryOrder(events, threads, Locks::in_any_order).races();
    ASSERT_TRUE(std::ranges::includes(all, reversed)) << "round " << round;
    ASSERT_TRUE(std::ranges::includes(all, kept)) << "round " << round;
    preserving += kept.size();
    reversing += reversed.size();
    exhaustive += all.size();
  }
  std::printf("of %zu races: %zu with locks as recorded, %zu with locks in any order\n", exhaustive,
              preserving, reversing);
  EXPECT_GT(reversing, preserving);
  EXPECT_GE(1000 * reversing, 995 * exhaustive);
}

TEST(Predict, SaysWhenTheBudgetIsUsedUp) {
  std::mt19937 random(3);
  const Events events = random_trace(random, 3, 200);
  Fed fed = feed(events, 3, [](size_t i) { return static_cast<uint32_t>(i); });
  uint64_t budget = 5;
  fed.order.find(kAll, budget);
  EXPECT_EQ(budget, 0u);
}

}  // namespace
}  // namespace vestige::races
