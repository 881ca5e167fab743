#include "query/races/predict.h"

#include <algorithm>

#include "query/races/live_places.h"
#include "query/races/sync_reversal.h"
#include "query/races/witness.h"
#include "query/threads/events.h"
#include "query/threads/pieces.h"

namespace vestige::races {

namespace {

using namespace threads;

constexpr uint64_t kStepsOfReversal = 64;  // its steps are as much longer

// Hands the events on, and remembers where they were.
class Feeder final : public EventVisitor {
 public:
  Feeder(const Trace& trace, const Pieces& pieces, uint64_t most)
      : trace_(trace),
        pieces_(pieces),
        most_(most),
        order_(static_cast<uint32_t>(trace.threads().size())),
        atomic_(atomic_statements(trace)),
        places_(trace.processes().size()),
        times_(trace.threads().size()),
        operations_(trace.threads().size()) {}

  bool access(uint64_t time, const Reference& reference) override {
    const uint32_t process = trace_.threads()[reference.thread].process;
    touched_.clear();
    pieces_.each(process, reference.address, reference.bytes,
                 [&](uint64_t address, uint64_t bytes) {
                   if (pieces_.shared(process, address))
                     touched_.push_back(places_.number(process, address, bytes));
                 });
    if (touched_.empty()) return true;
    if (accesses_ == most_) {
      limited_ = true;
      return false;
    }
    ++accesses_;
    const bool can_race = !atomic_[reference.statement_id];
    const auto tag = static_cast<uint32_t>(2 * reference.statement_id);
    if (reference.kind != Reference::Kind::write) event(reference.thread, time, tag, can_race);
    if (reference.kind != Reference::Kind::read) event(reference.thread, time, tag + 1, can_race);
    return true;
  }

  bool operation(const Operation& op) override {
    if (op.sync.kind == SyncKind::allocated)
      places_.begin(trace_.threads()[op.thread].process, op.sync.object, op.sync.other);
    for (const uint64_t index : op.behind)
      order_.behind(op.thread, event_of_[index].first, event_of_[index].second);
    if (op.role == Operation::Role::joins)
      order_.behind(op.thread, op.other, order_.events(op.other));
    const uint32_t event =
        op.role == Operation::Role::acquires   ? order_.acquire(op.thread, op.locks)
        : op.role == Operation::Role::releases ? order_.release(op.thread, op.locks)
                                               : order_.nothing(op.thread);
    if (op.role == Operation::Role::forks) order_.behind(op.other, op.thread, event);
    times_[op.thread].push_back(op.time);
    auto& done = operations_[op.thread];
    const uint64_t count = (done.empty() ? 0 : done.back().count) + !is_memory(op.sync.kind);
    done.push_back({event, op.sync.stamp, count});
    event_of_.resize(op.index + 1);
    event_of_[op.index] = {op.thread, event};
    return true;
  }

  SyncPreserving& order() { return order_; }
  bool limited() const { return limited_; }
  uint64_t accesses() const { return accesses_; }
  uint64_t time(uint32_t thread, uint32_t event) const { return times_[thread][event - 1]; }
  uint64_t address(uint32_t place) const { return places_.address(place); }
  uint64_t bytes(uint32_t place) const { return places_.bytes(place); }
  // Synchronization operations among a thread's first events.
  uint64_t operations(uint32_t thread, uint32_t events) const {
    const auto behind = std::ranges::upper_bound(operations_[thread], events, {}, &Done::event);
    return behind == operations_[thread].begin() ? 0 : behind[-1].count;
  }
  // Of the operation before an event; 0 when there is none.
  uint64_t stamp_before(uint32_t thread, uint32_t event) const {
    const auto behind = std::ranges::lower_bound(operations_[thread], event, {}, &Done::event);
    return behind == operations_[thread].begin() ? 0 : behind[-1].stamp;
  }

 private:
  struct Done {
    uint32_t event = 0;
    uint64_t stamp = 0;
    uint64_t count = 0;  // of synchronization operations, with this one
  };

  void event(uint32_t thread, uint64_t time, uint32_t tag, bool can_race) {
    order_.access(thread, touched_, tag, can_race);
    times_[thread].push_back(time);
  }

  const Trace& trace_;
  const Pieces& pieces_;
  const uint64_t most_;
  SyncPreserving order_;
  const std::vector<bool> atomic_;
  LivePlaces places_;
  std::vector<std::vector<uint64_t>> times_;             // by thread: of events
  std::vector<std::vector<Done>> operations_;            // by thread
  std::vector<std::pair<uint32_t, uint32_t>> event_of_;  // by operation: thread, event
  std::vector<uint32_t> touched_;
  uint64_t accesses_ = 0;
  bool limited_ = false;
};

Access access_of(uint32_t tag) { return {tag / 2, (tag & 1) != 0, false}; }

Race race_of(const Trace& trace, const GlobalNames& names, const Feeder& feeder,
             const SyncPreserving::Found& found) {
  Race race;
  RaceAccess* const accesses[] = {&race.a, &race.b};
  RaceSide* const sides[] = {&race.side_a, &race.side_b};
  for (const int k : {0, 1}) {
    const Access access = access_of(found.tag[k]);
    *accesses[k] = {*statement_by_id(trace, access.statement), access.writes, false};
    sides[k]->thread = sides[k]->strand = found.thread[k];
    sides[k]->time = feeder.time(found.thread[k], found.event[k]);
  }
  race.count = 1;
  race.address = feeder.address(found.place);
  race.variable = names.at(race.address, feeder.bytes(found.place));
  race.reordering.emplace();
  for (uint32_t t = 0; t < found.prefix.size(); ++t) {
    uint32_t events = found.prefix[t];
    if (events == 0) continue;
    race.reordering->threads.push_back({t, feeder.time(t, events), feeder.operations(t, events)});
  }
  for (size_t i = 0; i < found.order.size(); ++i) {
    const auto [t, event] = found.order[i];
    if (i + 1 < found.order.size() && found.order[i + 1].thread == t) continue;
    race.reordering->turns.push_back({t, feeder.time(t, event), feeder.operations(t, event)});
  }
  return race;
}

}  // namespace

Result<std::vector<Race>> predict(const Trace& trace, const RaceOptions& options,
                                  const GlobalNames& names, const Pairs& observed,
                                  std::string& limit) {
  const auto pieces = Pieces::read(trace);
  if (!pieces) return std::unexpected(pieces.error());
  Feeder feeder(trace, *pieces, options.most_accesses);
  const auto events =
      read_events(trace, {.outcomes = true, .rewrites = pieces->rewrites()}, feeder);
  if (!events) return std::unexpected(events.error());
  uint64_t budget = options.most_steps;
  const auto wanted = [&](uint32_t a, uint32_t b) {
    return !observed.contains({access_of(a), access_of(b)});
  };
  std::vector<SyncPreserving::Found> all = feeder.order().find(wanted, budget);
  const auto tags = [](const SyncPreserving::Found& one) {
    return std::pair(one.tag[0], one.tag[1]);
  };
  const auto still_wanted = [&](uint32_t a, uint32_t b) {
    return wanted(a, b) && !std::ranges::binary_search(all, std::pair(a, b), {}, tags);
  };
  uint64_t steps = std::min(budget, options.most_steps / kStepsOfReversal);
  const bool began = steps > 0;
  auto reversed = SyncReversal(feeder.order()).find(still_wanted, steps);
  all.insert(all.end(), std::make_move_iterator(reversed.begin()),
             std::make_move_iterator(reversed.end()));
  std::ranges::sort(all, {}, tags);
  if (feeder.limited())
    limit = "only the first " + std::to_string(feeder.accesses()) +
            " accesses of shared memory were looked at";
  if (budget == 0)
    limit += std::string(limit.empty() ? "" : "; ") + "the search was given up after " +
             std::to_string(options.most_steps) + " steps";
  if (began && steps == 0)
    limit += std::string(limit.empty() ? "" : "; ") +
             "the search for other orders of locks was given up";
  std::vector<Race> races;
  for (const SyncPreserving::Found& found : all)
    races.push_back(race_of(trace, names, feeder, found));
  std::vector<KnownSide> sides;
  for (size_t i = 0; i < all.size(); ++i) {
    Race& race = races[i];
    sides.push_back(
        {&race.side_a, race.a.statement, feeder.stamp_before(all[i].thread[0], all[i].event[0])});
    sides.push_back(
        {&race.side_b, race.b.statement, feeder.stamp_before(all[i].thread[1], all[i].event[1])});
  }
  if (auto told = describe_sides(trace, names, sides); !told)
    return std::unexpected(std::move(told.error()));
  return races;
}

}  // namespace vestige::races
