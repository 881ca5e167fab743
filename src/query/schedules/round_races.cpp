#include "query/schedules/round_races.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "query/races/live_places.h"
#include "query/races/sync_preserving.h"
#include "query/races/witness.h"
#include "query/schedules/carried.h"
#include "query/schedules/round_order.h"
#include "query/schedules/workers.h"
#include "query/threads/events.h"
#include "query/threads/pieces.h"

namespace vestige::schedules {

namespace {

using races::SyncPreserving;

constexpr uint64_t kMostSteps = uint64_t{1} << 28;  // events of all orders that are tried
constexpr uint32_t kMostTries = 64;                 // of each two statements

// Which rounds are apart, as strands behind all threads.
struct RoundStrands {
  RoundStrands(const Trace& trace, const Workers& workers) : trace(trace) {
    units.resize(trace.threads().size());
    of_thread.resize(trace.threads().size());
    for (size_t i = 0; i < workers.rounds.size(); ++i) {
      const WorkerRound& round = workers.rounds[i];
      units[round.thread] = {RoundUnit::Kind::beginning, round.pool, round.thread};
      of_thread[round.thread].push_back(static_cast<uint32_t>(units.size()));
      units.push_back({RoundUnit::Kind::round, round.pool, round.thread});
      rounds.push_back(&round);
    }
    for (const auto& all : of_thread)
      if (!all.empty()) units[all.back()].ends = true;
  }

  uint32_t of(const SyncOperation& op) const {
    const ThreadInfo& info = trace.threads()[op.thread];
    const uint32_t t = info.handler && info.parent != kNone ? info.parent : op.thread;
    const auto stamp = [&](uint32_t strand) { return round(strand).stamp; };
    const auto behind = std::ranges::upper_bound(of_thread[t], op.stamp, {}, stamp);
    return behind == of_thread[t].begin() ? t : behind[-1];
  }
  // The one behind this one of the same thread; kNone: none.
  uint32_t next(uint32_t strand) const {
    const auto& mine = of_thread[strand < of_thread.size() ? strand : units[strand].thread];
    const auto behind = std::ranges::upper_bound(mine, strand);
    return behind == mine.end() ? kNone : *behind;
  }
  const WorkerRound& round(uint32_t strand) const {
    return *rounds[strand - trace.threads().size()];
  }

  const Trace& trace;
  std::vector<RoundUnit> units;                  // by strand
  std::vector<std::vector<uint32_t>> of_thread;  // its rounds' strands
  std::vector<const WorkerRound*> rounds;        // by strand, behind all threads
};

// Hands the events on, rounds for threads.
class RoundFeeder final : public threads::EventVisitor {
 public:
  RoundFeeder(const Trace& trace, const Workers& workers, const RoundFacts& facts,
              const threads::Pieces& pieces, RoundStrands& strands, uint64_t most)
      : trace_(trace),
        workers_(workers),
        facts_(facts),
        pieces_(pieces),
        strands_(strands),
        most_(most),
        order_(static_cast<uint32_t>(strands.units.size())),
        atomic_(threads::atomic_statements(trace)),
        places_(trace.processes().size()),
        now_(trace.threads().size()),
        times_(strands.units.size()) {
    for (uint32_t t = 0; t < now_.size(); ++t) now_[t] = t;
  }

  bool access(uint64_t time, const Reference& reference) override {
    // The atomic operation that a round begins with comes before it is said to begin.
    const uint32_t coming =
        atomic_[reference.statement_id] ? strands_.next(now_[reference.thread]) : kNone;
    if (coming == kNone || strands_.round(coming).time != time ||
        statement_of(strands_.round(coming)) != reference.statement_id)
      return take(time, reference);
    first_ = {time, reference};
    return true;
  }

  bool take(uint64_t time, const Reference& reference) {
    const uint32_t thread = reference.thread, process = trace_.threads()[thread].process;
    const bool own = facts_.is_own(workers_, thread, reference.address, reference.bytes);
    touched_.clear();
    pieces_.each(process, reference.address, reference.bytes,
                 [&](uint64_t address, uint64_t bytes) {
                   if (!own || pieces_.shared(process, address))
                     touched_.push_back(places_.number(process, address, bytes));
                 });
    if (touched_.empty()) return true;
    if (accesses_ == most_) {
      limited_ = true;
      return false;
    }
    ++accesses_;
    const bool can_race = !own && !atomic_[reference.statement_id] &&
                          !facts_.apart.contains(reference.statement_id) && may_race(thread, time);
    const auto tag = static_cast<uint32_t>(2 * reference.statement_id);
    if (reference.kind != Reference::Kind::write) event(thread, time, tag, can_race);
    if (reference.kind != Reference::Kind::read) event(thread, time, tag + 1, can_race);
    return true;
  }

  bool operation(const threads::Operation& op) override {
    if (op.sync.kind == SyncKind::allocated)
      places_.begin(trace_.threads()[op.thread].process, op.sync.object, op.sync.other);
    if (op.strand != now_[op.thread]) begin_round(op.thread, op.strand, op.time);
    const uint32_t strand = op.strand;
    keep_own(op.thread, op.time);
    for (const uint64_t index : op.behind)
      order_.behind(strand, event_of_[index].first, event_of_[index].second);
    if (op.role == threads::Operation::Role::joins) join(strand, op.other);
    const uint32_t event =
        op.role == threads::Operation::Role::acquires   ? order_.acquire(strand, op.locks)
        : op.role == threads::Operation::Role::releases ? order_.release(strand, op.locks)
                                                        : order_.nothing(strand);
    if (op.role == threads::Operation::Role::forks) order_.behind(op.other, strand, event);
    times_[strand].push_back({op.time, op.sync.stamp});
    event_of_.resize(op.index + 1);
    event_of_[op.index] = {strand, event};
    if (!first_ || first_->second.thread != op.thread) return true;
    const auto [time, reference] = *std::exchange(first_, std::nullopt);
    return take(time, reference);
  }

  SyncPreserving& order() { return order_; }
  bool limited() const { return limited_; }
  const races::LivePlaces& places() const { return places_; }
  uint64_t time(uint32_t strand, uint32_t event) const { return times_[strand][event - 1].time; }
  // Of the operation before an event; of a round there is one.
  uint64_t stamp_before(uint32_t strand, uint32_t event) const {
    for (uint32_t e = event; e-- > 1;)
      if (times_[strand][e - 1].stamp != 0) return times_[strand][e - 1].stamp;
    return 0;
  }

 private:
  struct EventTime {
    uint64_t time = 0, stamp = 0;
  };

  bool may_race(uint32_t thread, uint64_t time) const {
    return strands_.units[now_[thread]].kind == RoundUnit::Kind::round && !is_own(thread, time);
  }
  uint64_t statement_of(const WorkerRound& round) const {
    const RoundFrame& at = workers_.places[round.place].back();
    return uint64_t{trace_.functions()[at.function].first_statement} + at.statement;
  }
  // From where on a round is its own thread's, it comes behind all that this one did before.
  void keep_own(uint32_t thread, uint64_t time) {
    const uint32_t strand = now_[thread];
    if (strands_.units[strand].kind != RoundUnit::Kind::round) return;
    if (strands_.units[strand].own_from != UINT32_MAX || !is_own(thread, time)) return;
    strands_.units[strand].own_from = order_.events(strand) + 1;
    for (const uint32_t before : strands_.of_thread[thread]) {
      if (before == strand) return;
      order_.behind(strand, before, order_.events(before));
    }
  }
  bool is_own(uint32_t thread, uint64_t time) const {
    const WorkerRound& round = strands_.round(now_[thread]);
    if (round.last) return true;
    const auto& own = facts_.own_from[thread];
    const auto from = std::ranges::lower_bound(own, round.time + 1);
    return from != own.end() && time >= *from;
  }
  void event(uint32_t thread, uint64_t time, uint32_t tag, bool can_race) {
    keep_own(thread, time);
    order_.access(now_[thread], touched_, tag, can_race);
    times_[now_[thread]].push_back({time, 0});
  }
  void begin_round(uint32_t thread, uint32_t strand, uint64_t time) {
    if (now_[thread] == thread) {
      // It came to where rounds begin.
      order_.nothing(thread);
      times_[thread].push_back({time, 0});
    }
    now_[thread] = strand;
    order_.behind(strand, thread, order_.events(thread));
  }
  void join(uint32_t strand, uint32_t other) {
    order_.behind(strand, other, order_.events(other));
    for (const uint32_t round : strands_.of_thread[other])
      order_.behind(strand, round, order_.events(round));
  }

  const Trace& trace_;
  const Workers& workers_;
  const RoundFacts& facts_;
  const threads::Pieces& pieces_;
  RoundStrands& strands_;
  const uint64_t most_;
  SyncPreserving order_;
  const std::vector<bool> atomic_;
  races::LivePlaces places_;
  std::vector<uint32_t> now_;                            // by thread: its strand
  std::vector<std::vector<EventTime>> times_;            // by strand: of events
  std::vector<std::pair<uint32_t, uint32_t>> event_of_;  // by operation: strand, event
  std::vector<uint32_t> touched_;
  std::optional<std::pair<uint64_t, Reference>> first_;  // of a round that begins
  uint64_t accesses_ = 0;
  bool limited_ = false;
};

RaceWork work_of(const Workers& workers, const WorkerRound& round) {
  RaceWork work;
  work.kind = RaceWork::Kind::round;
  const RoundFrame& loop = workers.places[round.place][workers.pools[round.pool].loop];
  work.directive = StatementRef{loop.function, loop.statement};
  work.iteration = static_cast<int64_t>(round.number);
  return work;
}

Race race_of(const Trace& trace, const races::GlobalNames& names, const Workers& workers,
             const RoundStrands& strands, const RoundFeeder& feeder,
             const SyncPreserving::Found& found) {
  Race race;
  RaceAccess* const accesses[] = {&race.a, &race.b};
  RaceSide* const sides[] = {&race.side_a, &race.side_b};
  for (const int k : {0, 1}) {
    const uint64_t id = found.tag[k] / 2;
    *accesses[k] = {*statement_by_id(trace, id), (found.tag[k] & 1) != 0, false};
    sides[k]->thread = sides[k]->strand = strands.units[found.thread[k]].thread;
    sides[k]->time = feeder.time(found.thread[k], found.event[k]);
  }
  race.count = 1;
  race.address = feeder.places().address(found.place);
  race.variable = names.at(race.address, feeder.places().bytes(found.place));
  race.other_schedule = RaceSchedule{work_of(workers, strands.round(found.thread[0])),
                                     work_of(workers, strands.round(found.thread[1]))};
  return race;
}

// Pairs of rounds that two workers may do side by side.
std::vector<SyncPreserving::Found> pairs_of_rounds(RoundFeeder& feeder, const RoundStrands& strands,
                                                   const std::set<RacePair>& observed,
                                                   const RaceOptions& options, bool& whole) {
  const RoundOrder order(feeder.order(), strands.units);
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> tries;
  uint64_t steps = kMostSteps, budget = options.most_steps;
  const auto wanted = [&](uint32_t a, uint32_t b) {
    const RacePair pair{a / 2, b / 2, (a & 1) != 0, (b & 1) != 0};
    return !observed.contains(pair);
  };
  const auto accepts = [&](const SyncPreserving::Found& found) {
    if (steps == 0 || ++tries[{found.tag[0], found.tag[1]}] > kMostTries) {
      whole = false;
      return false;
    }
    return order.side_by_side(found, steps);
  };
  auto all = feeder.order().find(wanted, budget, accepts);
  whole = whole && budget > 0;
  return all;
}

}  // namespace

Result<std::vector<Race>> find_round_races(const Trace& trace, const RaceOptions& options,
                                           const races::GlobalNames& names,
                                           const std::set<RacePair>& observed, std::string& limit) {
  std::vector<Race> races;
  const auto workers = find_workers(trace);
  if (!workers) return std::unexpected(workers.error());
  if (workers->pools.empty()) return races;
  const auto facts = read_round_facts(trace, *workers, options.most_accesses);
  if (!facts) return std::unexpected(facts.error());
  bool whole = !facts->limited && !workers->limited;
  if (!facts->limited) {
    const auto pieces = threads::Pieces::read(trace);
    if (!pieces) return std::unexpected(pieces.error());
    RoundStrands strands(trace, *workers);
    RoundFeeder feeder(trace, *workers, *facts, *pieces, strands, options.most_accesses);
    threads::OperationOptions how;
    how.outcomes = true;
    how.rewrites = pieces->rewrites();
    how.strands = static_cast<uint32_t>(strands.units.size());
    how.strand_of = [&](const SyncOperation& op) { return strands.of(op); };
    const auto read = threads::read_events(trace, how, feeder);
    if (!read) return std::unexpected(read.error());
    const auto all = pairs_of_rounds(feeder, strands, observed, options, whole);
    whole = whole && !feeder.limited();
    std::vector<races::KnownSide> sides;
    for (const SyncPreserving::Found& found : all)
      races.push_back(race_of(trace, names, *workers, strands, feeder, found));
    for (size_t i = 0; i < all.size(); ++i)
      for (const int k : {0, 1})
        sides.push_back({k == 0 ? &races[i].side_a : &races[i].side_b,
                         k == 0 ? races[i].a.statement : races[i].b.statement,
                         feeder.stamp_before(all[i].thread[k], all[i].event[k])});
    if (auto told = races::describe_sides(trace, names, sides); !told)
      return std::unexpected(std::move(told.error()));
  }
  if (!whole) limit = "there is more in rounds of worker threads than is looked at";
  return races;
}

}  // namespace vestige::schedules
