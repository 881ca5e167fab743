#include "query/schedules/round_order.h"

#include <algorithm>
#include <map>
#include <set>

namespace vestige::schedules {

namespace {

using races::EventAt;
using races::History;
using races::SyncPreserving;

}  // namespace

// Runs events one by one, as long as they may.
class RoundOrder::Run {
 public:
  Run(const SyncPreserving& events, const std::vector<RoundUnit>& units, const Prefixes& ideal)
      : events_(events),
        history_(events.history()),
        units_(units),
        ideal_(ideal),
        at_(ideal.size()) {
    for (uint32_t u = 0; u < ideal.size(); ++u) {
      left_ += ideal[u];
      const bool own = units[u].kind == RoundUnit::Kind::round && units[u].own_from <= ideal[u];
      if (own) own_up_to_[units[u].thread] = u;
    }
  }

  // In the recorded order, with the workers' beginnings in front.
  bool as_recorded() {
    std::vector<std::pair<uint32_t, EventAt>> order;
    for (uint32_t u = 0; u < ideal_.size(); ++u)
      if (units_[u].kind != RoundUnit::Kind::beginning)
        for (uint32_t e = 1; e <= ideal_[u]; ++e)
          order.push_back({history_.step({u, e}).order, {u, e}});
    std::ranges::sort(order, {}, [](const auto& one) { return one.first; });
    for (const auto& [number, event] : order) {
      begin_workers();
      if (!may_run(event)) return false;
      run(event);
    }
    begin_workers();
    return left_ == 0;
  }

  // Whatever began first, then one round more: the two that race last.
  bool one_by_one(uint32_t a, uint32_t b) {
    std::vector<uint32_t> others, rounds;
    for (uint32_t u = 0; u < ideal_.size(); ++u)
      if (ideal_[u] > 0) (units_[u].kind == RoundUnit::Kind::round ? rounds : others).push_back(u);
    std::ranges::sort(rounds, {}, [&](uint32_t u) {
      return std::pair(u == a || u == b, history_.step({u, 1}).order);
    });
    while (left_ > 0) {
      bool moved = false;
      for (const uint32_t u : others) moved = go_on(u) || moved;
      for (const uint32_t u : rounds)
        if (at_[u] > 0) moved = go_on(u) || moved;
      if (moved) continue;
      const auto next =
          std::ranges::find_if(rounds, [&](uint32_t u) { return at_[u] == 0 && may_run({u, 1}); });
      if (next == rounds.end()) return false;
      go_on(*next);
    }
    return true;
  }

 private:
  bool go_on(uint32_t u) {
    bool moved = false;
    for (; at_[u] < ideal_[u] && may_run({u, at_[u] + 1}); moved = true) run({u, at_[u] + 1});
    return moved;
  }
  void begin_workers() {
    for (uint32_t u = 0; u < ideal_.size(); ++u)
      if (units_[u].kind == RoundUnit::Kind::beginning) go_on(u);
  }

  EventAt writer(uint32_t place) const {
    const auto found = writer_.find(place);
    return found == writer_.end() ? EventAt{} : found->second;
  }
  bool may_run(const EventAt& at) const {
    if (at_[at.thread] + 1 != at.event) return false;
    if (at.event == 1 && units_[at.thread].kind == RoundUnit::Kind::round &&
        worker_for(at.thread) == UINT32_MAX)
      return false;
    for (const History::Edge& edge : history_.edges(at))
      if (at_[edge.behind.thread] < edge.behind.event) return false;
    const History::Step& step = history_.step(at);
    const auto targets = history_.targets(step);
    for (size_t i = 0; i < targets.size(); ++i) {
      if (step.kind == History::Kind::read && writer(targets[i]) != history_.sources(step)[i])
        return false;
      if (step.kind == History::Kind::acquire && taken_.contains(targets[i])) return false;
    }
    return true;
  }

  // A worker that may begin it.
  uint32_t worker_for(uint32_t round) const {
    const RoundUnit& unit = units_[round];
    const auto idle = [&](uint32_t thread) {
      return ideal_[thread] == events_.events(thread) && at_[thread] == ideal_[thread] &&
             !busy_.contains(thread);
    };
    // Up to a round of its own a worker does what it did.
    const auto own = own_up_to_.find(unit.thread);
    if (own != own_up_to_.end() && round <= own->second)
      return idle(unit.thread) ? unit.thread : UINT32_MAX;
    if (idle(unit.thread)) return unit.thread;
    for (uint32_t t = 0; t < units_.size(); ++t)
      if (units_[t].kind == RoundUnit::Kind::beginning && units_[t].pool == unit.pool && idle(t))
        return t;
    return UINT32_MAX;
  }

  void run(const EventAt& at) {
    const bool round = units_[at.thread].kind == RoundUnit::Kind::round;
    if (round && at.event == 1) {
      doing_[at.thread] = worker_for(at.thread);
      busy_.insert(doing_[at.thread]);
    }
    at_[at.thread] = at.event;
    --left_;
    const History::Step& step = history_.step(at);
    for (const uint32_t target : history_.targets(step)) {
      if (step.kind == History::Kind::write) writer_[target] = at;
      if (step.kind == History::Kind::acquire) taken_.insert(target);
      if (step.kind == History::Kind::release) taken_.erase(target);
    }
    if (round && at.event == events_.events(at.thread) && !units_[at.thread].ends)
      busy_.erase(doing_[at.thread]);
  }

  const SyncPreserving& events_;
  const History& history_;
  const std::vector<RoundUnit>& units_;
  const Prefixes& ideal_;
  Prefixes at_;
  uint64_t left_ = 0;
  std::map<uint32_t, uint32_t> own_up_to_;        // by thread: its last round that is its own
  std::unordered_map<uint32_t, EventAt> writer_;  // by place
  std::set<uint32_t> taken_;                      // locks
  std::set<uint32_t> busy_;                       // workers
  std::map<uint32_t, uint32_t> doing_;            // by round: its worker
};

bool RoundOrder::holds(const Prefixes& ideal, const SyncPreserving::Found& found) const {
  return ideal[found.thread[0]] >= found.event[0] || ideal[found.thread[1]] >= found.event[1];
}

// Rounds that began come to their end, and workers to where rounds begin, where that needs neither
// access.
void RoundOrder::complete(Prefixes& ideal, const SyncPreserving::Found& found,
                          uint64_t& budget) const {
  const auto add = [&](uint32_t u) {
    if (ideal[u] == events_.events(u) || budget == 0) return;
    Prefixes more = ideal;
    if (events_.extend(more, {u, events_.events(u)}, budget) && !holds(more, found))
      ideal = std::move(more);
  };
  for (uint32_t u = 0; u < units_.size(); ++u)
    if (units_[u].kind == RoundUnit::Kind::beginning) add(u);
  for (uint32_t u = 0; u < units_.size(); ++u)
    if (units_[u].kind == RoundUnit::Kind::round && ideal[u] > 0 && u != found.thread[0] &&
        u != found.thread[1])
      add(u);
}

bool RoundOrder::side_by_side(const SyncPreserving::Found& found, uint64_t& budget) const {
  const RoundUnit &a = units_[found.thread[0]], &b = units_[found.thread[1]];
  if (a.kind != RoundUnit::Kind::round || b.kind != RoundUnit::Kind::round || a.pool != b.pool)
    return false;
  // A round of which nothing runs before the access has to begin, too: its first event is no
  // access.
  Prefixes ideal = found.prefix;
  complete(ideal, found, budget);
  uint64_t events = 0;
  for (const uint32_t prefix : ideal) events += prefix;
  for (const bool recorded : {true, false}) {
    if (budget <= events) {
      budget = 0;
      return false;
    }
    budget -= events;
    Run run(events_, units_, ideal);
    if (recorded ? run.as_recorded() : run.one_by_one(found.thread[0], found.thread[1]))
      return true;
  }
  return false;
}

}  // namespace vestige::schedules
