#include "query/races/sync_reversal.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace vestige::races {

namespace {

constexpr uint32_t kMostAttempts = 12;     // ideals, for a pair of accesses
constexpr uint64_t kMostDetours = 4096;    // places that a search goes back to
constexpr uint64_t kMostEvents = 1 << 18;  // of an ideal
constexpr size_t kMostInstances = 8;       // accesses of each side

uint64_t key_of(const EventAt& at) { return uint64_t{at.thread} << 32 | at.event; }
uint64_t mixed(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15 ^ (b + 0x7f4a7c15) * 0xc2b2ae3d27d4eb4f;
  x ^= x >> 29;
  return (x * 0xbf58476d1ce4e5b9) ^ x >> 32;
}

struct PlaceWriter {
  uint32_t place = 0;
  uint64_t writer = 0;
  bool operator==(const PlaceWriter&) const = default;
};
struct PlaceWriterHash {
  size_t operator()(const PlaceWriter& one) const { return mixed(one.place, one.writer); }
};

const uint64_t kNobody = key_of({});

}  // namespace

// Tries to run the events of an ideal one by one.
class SyncReversal::Schedule {
 public:
  Schedule(const SyncPreserving& events, const Prefixes& ideal)
      : events_(events), history_(events.history()), ideal_(ideal), at_(ideal.size()) {
    for (uint32_t t = 0; t < ideal.size(); ++t)
      for (uint32_t e = 1; e <= ideal[t]; ++e) {
        const History::Step& step = history_.step({t, e});
        if (step.kind == History::Kind::read)
          for (size_t i = 0; i < step.count; ++i)
            ++unread_[{history_.targets(step)[i], key_of(history_.sources(step)[i])}];
        else if (step.kind == History::Kind::acquire)
          for (const uint32_t lock : history_.targets(step)) ++sections_[lock];
        total_ += 1;
      }
  }

  bool run(uint64_t& budget) {
    std::unordered_set<uint64_t> seen;
    std::vector<uint32_t> ranks = {0};
    uint64_t detours = 0;
    while (order_.size() < total_) {
      if (budget < at_.size()) {
        budget = 0;
        return false;
      }
      budget -= at_.size();
      const uint32_t next = choose(ranks.back());
      if (next != kNone) {
        ++ranks.back();
        forwards(next);
        ranks.push_back(0);
        // Before the first time it went back there was nothing to see again.
        if (detours == 0 || seen.insert(hash_).second) continue;
      }
      if (detours == 0) detours = 1;
      if (order_.empty() || ++detours > kMostDetours) return false;
      seen.insert(hash_);
      ranks.pop_back();
      backwards();
    }
    return true;
  }
  std::vector<EventAt> take_order() { return std::move(order_); }

 private:
  // Of the threads that may run, that of this rank by recorded order.
  uint32_t choose(uint32_t rank) const {
    std::vector<std::pair<uint32_t, uint32_t>> able;
    for (uint32_t t = 0; t < at_.size(); ++t)
      if (at_[t] < ideal_[t] && may_run({t, at_[t] + 1}))
        able.emplace_back(history_.step({t, at_[t] + 1}).order, t);
    if (rank >= able.size()) return kNone;
    std::ranges::sort(able);
    return able[rank].second;
  }
  uint64_t writer(uint32_t place) const {
    const auto found = writer_.find(place);
    return found == writer_.end() ? kNobody : found->second;
  }
  bool may_run(const EventAt& at) const {
    for (const History::Edge& edge : history_.edges(at))
      if (at_[edge.behind.thread] < edge.behind.event) return false;
    const History::Step& step = history_.step(at);
    const auto targets = history_.targets(step);
    for (size_t i = 0; i < targets.size(); ++i) {
      switch (step.kind) {
        case History::Kind::read:
          if (writer(targets[i]) != key_of(history_.sources(step)[i])) return false;
          break;
        case History::Kind::write: {
          const auto unread = unread_.find({targets[i], writer(targets[i])});
          if (unread != unread_.end() && unread->second > 0) return false;
          break;
        }
        case History::Kind::acquire:
          if (taken_.contains(targets[i])) return false;
          if (sections_.at(targets[i]) > 1 && stays_open(targets[i], at)) return false;
          break;
        default:
          break;
      }
    }
    return true;
  }
  bool stays_open(uint32_t lock, const EventAt& acquire) const {
    return events_.released(lock, acquire) > ideal_[acquire.thread];
  }
  void set_writer(uint32_t place, uint64_t to) {
    hash_ ^= mixed(place, writer(place)) ^ mixed(place, to);
    writer_[place] = to;
  }
  void move(uint32_t thread, uint32_t to) {
    hash_ ^= mixed(~uint64_t{thread}, at_[thread]) ^ mixed(~uint64_t{thread}, to);
    at_[thread] = to;
  }
  void forwards(uint32_t thread) {
    const EventAt at{thread, at_[thread] + 1};
    move(thread, at.event);
    order_.push_back(at);
    const History::Step& step = history_.step(at);
    const auto targets = history_.targets(step);
    for (size_t i = 0; i < targets.size(); ++i) {
      switch (step.kind) {
        case History::Kind::read:
          --unread_[{targets[i], key_of(history_.sources(step)[i])}];
          break;
        case History::Kind::write:
          overwritten_.push_back(writer(targets[i]));
          set_writer(targets[i], key_of(at));
          break;
        case History::Kind::acquire:
          taken_.insert(targets[i]);
          --sections_[targets[i]];
          break;
        case History::Kind::release:
          taken_.erase(targets[i]);
          break;
        default:
          break;
      }
    }
  }
  void backwards() {
    const EventAt at = order_.back();
    order_.pop_back();
    move(at.thread, at.event - 1);
    const History::Step& step = history_.step(at);
    const auto targets = history_.targets(step);
    for (size_t i = targets.size(); i-- > 0;) {
      switch (step.kind) {
        case History::Kind::read:
          ++unread_[{targets[i], key_of(history_.sources(step)[i])}];
          break;
        case History::Kind::write:
          set_writer(targets[i], overwritten_.back());
          overwritten_.pop_back();
          break;
        case History::Kind::acquire:
          taken_.erase(targets[i]);
          ++sections_[targets[i]];
          break;
        case History::Kind::release:
          taken_.insert(targets[i]);
          break;
        default:
          break;
      }
    }
  }

  const SyncPreserving& events_;
  const History& history_;
  const Prefixes& ideal_;
  Prefixes at_;
  std::vector<EventAt> order_;
  std::vector<uint64_t> overwritten_;
  std::unordered_map<uint32_t, uint64_t> writer_;                      // by place
  std::unordered_map<PlaceWriter, uint32_t, PlaceWriterHash> unread_;  // reads to come
  std::unordered_map<uint32_t, uint32_t> sections_;                    // by lock: to come
  std::unordered_set<uint32_t> taken_;                                 // locks
  uint64_t hash_ = 0;
  size_t total_ = 0;
};

bool SyncReversal::contains(const Prefixes& ideal, const Pair& pair) const {
  return ideal[pair.a.thread] >= pair.a.event || ideal[pair.b.thread] >= pair.b.event;
}

bool SyncReversal::can_close(const Prefixes& ideal, const Pair& pair,
                             const EventAt& release) const {
  if (release.event == kNone) return false;
  Prefixes more = ideal;
  events_.join(more, release.thread, release.event);
  return !contains(more, pair);
}

bool SyncReversal::attempt(Prefixes ideal, const Pair& pair, uint32_t& attempts, uint64_t& budget,
                           SyncPreserving::Found& found) const {
  if (attempts == 0 || budget == 0) return false;
  // Releases that are not in it, of sections that are; one for each lock.
  std::vector<EventAt> open;
  for (bool changed = true; std::exchange(changed, false);) {
    open.clear();
    for (const auto& lock : events_.locks_) {
      if (budget <= lock.threads.size()) {
        budget = 0;
        return false;
      }
      budget -= lock.threads.size();
      std::vector<std::pair<uint64_t, EventAt>> here;  // by order
      for (const auto& [thread, all] : lock.threads) {
        const auto behind =
            std::ranges::upper_bound(all, ideal[thread], {}, &SyncPreserving::Critical::acquired);
        if (behind == all.begin() || behind[-1].released <= ideal[thread]) continue;
        here.push_back({behind[-1].order, {thread, behind[-1].released}});
      }
      if (here.empty()) continue;
      std::ranges::sort(here, {}, &std::pair<uint64_t, EventAt>::first);
      size_t kept = here.size() - 1, pinned = 0;
      for (size_t i = 0; i < here.size() && here.size() > 1; ++i)
        if (!can_close(ideal, pair, here[i].second)) {
          kept = i;
          ++pinned;
        }
      if (pinned > 1) return false;
      for (size_t i = 0; i < here.size(); ++i) {
        if (i == kept) continue;
        events_.join(ideal, here[i].second.thread, here[i].second.event);
        changed = true;
      }
      open.push_back(here[kept].second);
    }
  }
  if (contains(ideal, pair)) return false;
  uint64_t events = 0;
  for (const uint32_t prefix : ideal) events += prefix;
  if (events > kMostEvents || events > budget) return false;
  budget -= events;
  --attempts;
  Schedule schedule(events_, ideal);
  if (schedule.run(budget)) {
    found.order = schedule.take_order();
    found.event[0] = pair.a.event;
    found.event[1] = pair.b.event;
    if (!is_correct(found.order, ideal)) return false;
    found.prefix = std::move(ideal);
    return true;
  }
  for (const EventAt& release : open) {
    if (!can_close(ideal, pair, release)) continue;
    Prefixes more = ideal;
    events_.join(more, release.thread, release.event);
    if (attempt(std::move(more), pair, attempts, budget, found)) return true;
  }
  return false;
}

bool SyncReversal::race(const Pair& pair, uint64_t& budget, SyncPreserving::Found& found) const {
  Prefixes ideal(events_.threads_.size());
  events_.join(ideal, pair.a.thread, pair.a.event - 1);
  events_.join(ideal, pair.b.thread, pair.b.event - 1);
  uint32_t attempts = kMostAttempts;
  return !contains(ideal, pair) && attempt(std::move(ideal), pair, attempts, budget, found);
}

bool SyncReversal::is_correct(const std::vector<EventAt>& order, const Prefixes& ideal) const {
  const History& history = events_.history();
  Prefixes at(ideal.size());
  std::unordered_map<uint32_t, EventAt> writers;
  std::unordered_map<uint32_t, uint32_t> holders;
  for (const EventAt& event : order) {
    if (event.event != ++at[event.thread]) return false;
    for (const History::Edge& edge : history.edges(event))
      if (at[edge.behind.thread] < edge.behind.event) return false;
    const History::Step& step = history.step(event);
    for (size_t i = 0; i < step.count; ++i) {
      const uint32_t target = history.targets(step)[i];
      if (step.kind == History::Kind::read && writers[target] != history.sources(step)[i])
        return false;
      if (step.kind == History::Kind::write) writers[target] = event;
      if (step.kind == History::Kind::acquire && !holders.emplace(target, event.thread).second)
        return false;
      if (step.kind == History::Kind::release) {
        const auto held = holders.find(target);
        if (held != holders.end() && held->second == event.thread) holders.erase(held);
      }
    }
  }
  return at == ideal;
}

std::vector<SyncPreserving::Found> SyncReversal::find(
    const std::function<bool(uint32_t, uint32_t)>& wanted, uint64_t& budget) const {
  std::vector<SyncPreserving::Found> all;
  if (!events_.history().whole()) return all;
  std::set<std::pair<uint32_t, uint32_t>> done;
  events_.each_pair_of_lists([&](SyncPreserving::List a, SyncPreserving::List b) {
    const std::pair tags(a[0].tag, b[0].tag);
    if (done.contains(tags) || !wanted(tags.first, tags.second)) return budget > 0;
    const auto some = [](SyncPreserving::List list) {
      std::vector<EventAt> chosen;
      const size_t count = std::min(list.size(), kMostInstances);
      for (size_t i = 0; i < count; ++i) {
        const auto& entry = list[i * list.size() / count];
        chosen.push_back({entry.thread, entry.event});
      }
      return chosen;
    };
    for (const EventAt& one : some(a)) {
      for (const EventAt& other : some(b)) {
        SyncPreserving::Found found;
        if (!race({one, other}, budget, found)) continue;
        done.insert(tags);
        found.tag[0] = tags.first;
        found.tag[1] = tags.second;
        found.thread[0] = one.thread;
        found.thread[1] = other.thread;
        found.place = a[0].place;
        all.push_back(std::move(found));
        return budget > 0;
      }
    }
    return budget > 0;
  });
  std::ranges::sort(all, {}, [](const auto& one) { return std::pair(one.tag[0], one.tag[1]); });
  return all;
}

}  // namespace vestige::races
