#include "query/races/sync_preserving.h"

#include <algorithm>
#include <set>
#include <utility>

namespace vestige::races {

void SyncPreserving::learned(Thread& thread, uint32_t event) {
  if (!thread.since.empty() && thread.since.back() == event) {
    thread.clocks.back() = thread.now;
    return;
  }
  thread.since.push_back(event);
  thread.clocks.push_back(thread.now);
}

void SyncPreserving::behind(uint32_t thread, uint32_t other, uint32_t event) {
  if (thread == other || event == 0) return;
  history_.edge(thread, {other, event});
  learn(thread, other, event);
}

void SyncPreserving::learn(uint32_t thread, uint32_t other, uint32_t event) {
  Thread& mine = threads_[thread];
  if (thread == other || event == 0 || mine.now.of(other) >= event) return;
  const Thread& theirs = threads_[other];
  const auto last = std::ranges::upper_bound(theirs.since, event);
  if (last != theirs.since.begin())
    mine.now.join(theirs.clocks[static_cast<size_t>(last - theirs.since.begin()) - 1]);
  mine.now.set(other, std::max(mine.now.of(other), event));
  learned(mine, mine.events + 1);
}

uint32_t SyncPreserving::access(uint32_t thread, std::span<const uint32_t> places, uint32_t tag,
                                bool can_race) {
  const bool writes = (tag & 1) != 0;
  sources_.clear();
  for (const uint32_t place : places) {
    if (place >= writers_.size()) writers_.resize(place + 1);
    if (writes) continue;
    sources_.push_back(writers_[place]);
    if (writers_[place].event != 0) learn(thread, writers_[place].thread, writers_[place].event);
  }
  history_.add(thread, writes ? History::Kind::write : History::Kind::read, places, sources_);
  const uint32_t event = ++threads_[thread].events;
  for (const uint32_t place : places) {
    if (writes) writers_[place] = {thread, event};
    if (can_race) entries_.push_back({place, thread, tag, threads_[thread].lock_set, event});
  }
  return event;
}

void SyncPreserving::held_changed(Thread& thread) {
  std::ranges::sort(thread.held);
  const auto [at, fresh] = lock_sets_.try_emplace(thread.held, static_cast<uint32_t>(sets_.size()));
  if (fresh) sets_.push_back(thread.held);
  thread.lock_set = at->second;
}

uint32_t SyncPreserving::acquire(uint32_t thread, std::span<const uint32_t> locks) {
  Thread& mine = threads_[thread];
  const uint32_t event = ++mine.events;
  history_.add(thread, History::Kind::acquire, locks);
  ++order_;
  for (const uint32_t lock : locks) {
    if (lock >= locks_.size()) locks_.resize(lock + 1);
    locks_[lock].threads[thread].push_back({event, kNone, order_});
    mine.held.push_back(lock);
  }
  held_changed(mine);
  return event;
}

uint32_t SyncPreserving::release(uint32_t thread, std::span<const uint32_t> locks) {
  Thread& mine = threads_[thread];
  const uint32_t event = ++mine.events;
  history_.add(thread, History::Kind::release, locks);
  for (const uint32_t lock : locks) {
    const auto held = std::ranges::find(mine.held, lock);
    if (held == mine.held.end()) continue;
    mine.held.erase(held);
    locks_[lock].threads[thread].back().released = event;
  }
  held_changed(mine);
  return event;
}

// Everything up to this event, and what it comes behind.
void SyncPreserving::join(Prefixes& into, uint32_t thread, uint32_t event) const {
  into[thread] = std::max(into[thread], event);
  const Thread& theirs = threads_[thread];
  const auto last = std::ranges::upper_bound(theirs.since, event);
  if (last == theirs.since.begin()) return;
  const Clock& clock = theirs.clocks[static_cast<size_t>(last - theirs.since.begin()) - 1];
  for (uint32_t t = 0; t < into.size(); ++t) into[t] = std::max(into[t], clock.of(t));
}

// Releases what must be. False: the budget is used up.
bool SyncPreserving::close(Prefixes& ideal, uint64_t& budget) const {
  for (bool changed = true; std::exchange(changed, false);) {
    for (const Lock& lock : locks_) {
      if (lock.threads.size() < 2) continue;
      if (budget <= lock.threads.size()) {
        budget = 0;
        return false;
      }
      budget -= lock.threads.size();
      const auto last_in = [&](uint32_t thread,
                               const std::vector<Critical>& all) -> const Critical* {
        const auto behind = std::ranges::upper_bound(all, ideal[thread], {}, &Critical::acquired);
        return behind == all.begin() ? nullptr : &behind[-1];
      };
      uint64_t latest = 0;
      for (const auto& [thread, all] : lock.threads)
        if (const Critical* last = last_in(thread, all)) latest = std::max(latest, last->order);
      for (const auto& [thread, all] : lock.threads) {
        const Critical* last = last_in(thread, all);
        if (last == nullptr || last->order == latest || last->released <= ideal[thread]) continue;
        // What is never released was taken last: that cannot be, in a trace.
        if (last->released == kNone) continue;
        join(ideal, thread, last->released);
        changed = true;
      }
    }
  }
  return true;
}

bool SyncPreserving::share_a_lock(uint32_t a, uint32_t b) const {
  return std::ranges::any_of(
      sets_[a], [&](uint32_t lock) { return std::ranges::binary_search(sets_[b], lock); });
}

bool SyncPreserving::race(std::span<const Entry> a, std::span<const Entry> b, uint64_t& budget,
                          Found& found) const {
  const uint32_t first = a[0].thread, second = b[0].thread;
  Prefixes ideal(threads_.size());
  // All of the one before all of the other: no order has them side by side.
  join(ideal, second, b[0].event - 1);
  if (ideal[first] >= a.back().event) return false;
  std::ranges::fill(ideal, 0);
  join(ideal, first, a[0].event - 1);
  if (ideal[second] >= b.back().event) return false;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    join(ideal, first, a[i].event - 1);
    join(ideal, second, b[j].event - 1);
    if (!close(ideal, budget)) return false;
    const bool has_a = ideal[first] >= a[i].event, has_b = ideal[second] >= b[j].event;
    if (!has_a && !has_b) {
      found.event[0] = a[i].event;
      found.event[1] = b[j].event;
      found.prefix = std::move(ideal);
      return true;
    }
    // What is in the ideal of two is in those of later ones.
    i += has_a;
    j += has_b;
  }
  return false;
}

bool SyncPreserving::extend(std::vector<uint32_t>& ideal, const EventAt& event,
                            uint64_t& budget) const {
  join(ideal, event.thread, event.event);
  return close(ideal, budget);
}

uint32_t SyncPreserving::released(uint32_t lock, const EventAt& acquire) const {
  const auto& all = locks_[lock].threads.at(acquire.thread);
  return std::ranges::lower_bound(all, acquire.event, {}, &Critical::acquired)->released;
}

void SyncPreserving::each_pair_of_lists(const std::function<bool(List, List)>& look) const {
  for (size_t first = 0, end = 0; first < entries_.size(); first = end) {
    // The lists of one place: by thread, tag and locks.
    std::vector<List> lists;
    while (end < entries_.size() && entries_[end].place == entries_[first].place) {
      const size_t begin = end;
      const auto key = [](const Entry& e) {
        return std::tuple(e.place, e.thread, e.tag, e.lock_set);
      };
      while (end < entries_.size() && key(entries_[end]) == key(entries_[begin])) ++end;
      lists.push_back(List(entries_).subspan(begin, end - begin));
    }
    const auto writes = [](const List& list) { return (list[0].tag & 1) != 0; };
    if (std::ranges::none_of(lists, writes)) continue;
    for (size_t i = 0; i < lists.size(); ++i) {
      for (size_t j = i + 1; j < lists.size(); ++j) {
        const Entry &a = lists[i][0], &b = lists[j][0];
        if (a.thread == b.thread || ((a.tag | b.tag) & 1) == 0) continue;
        if (share_a_lock(a.lock_set, b.lock_set)) continue;
        const bool swapped = b.tag < a.tag;
        if (!look(lists[swapped ? j : i], lists[swapped ? i : j])) return;
      }
    }
  }
}

std::vector<SyncPreserving::Found> SyncPreserving::find(
    const std::function<bool(uint32_t, uint32_t)>& wanted, uint64_t& budget,
    const std::function<bool(const Found&)>& accepts) {
  std::ranges::sort(entries_);
  std::vector<Found> all;
  std::set<std::pair<uint32_t, uint32_t>> done;
  each_pair_of_lists([&](List a, List b) {
    const std::pair tags(a[0].tag, b[0].tag);
    Found found;
    if (done.contains(tags) || !wanted(tags.first, tags.second) || !race(a, b, budget, found))
      return budget > 0;
    found.tag[0] = tags.first;
    found.tag[1] = tags.second;
    found.thread[0] = a[0].thread;
    found.thread[1] = b[0].thread;
    found.place = a[0].place;
    if (accepts && !accepts(found)) return budget > 0;
    done.insert(tags);
    all.push_back(std::move(found));
    return budget > 0;
  });
  std::ranges::sort(all, {}, [](const Found& one) { return std::pair(one.tag[0], one.tag[1]); });
  return all;
}

}  // namespace vestige::races
