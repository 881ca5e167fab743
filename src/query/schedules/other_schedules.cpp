#include "query/schedules/other_schedules.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "query/races/witness.h"
#include "query/schedules/orders.h"
#include "query/threads/events.h"
#include "vestige/query.h"

namespace vestige::schedules {

namespace {

constexpr uint64_t kGranule = 8;
constexpr size_t kLooksBack = 8;          // for the same access of the same unit
constexpr uint64_t kMostSteps = 1 << 22;  // of comparing, by round
constexpr uint64_t kLongest = 1 << 20;    // longer accesses are left out

struct Seen {
  Standing standing;
  const Place* place = nullptr;
  uint64_t statement = 0, address = 0, bytes = 0, life = 0;
  size_t operations = 0;
  bool writes = false, atomic = false;
};

bool same(const Seen& a, const Seen& b) {
  return a.statement == b.statement && a.address == b.address && a.bytes == b.bytes &&
         a.writes == b.writes && a.operations == b.operations && a.life == b.life &&
         a.standing.unit.kind == b.standing.unit.kind &&
         a.standing.unit.work == b.standing.unit.work &&
         a.standing.unit.iteration == b.standing.unit.iteration &&
         a.standing.unit.number == b.standing.unit.number &&
         a.standing.replica == b.standing.replica && a.standing.epoch == b.standing.epoch;
}

struct Found {
  uint32_t thread = 0;
  Seen a, b;
};

// The accesses of one thread, round by round.
class Searcher {
 public:
  Searcher(const Trace& trace, const Timelines& lines, const Orders& orders, TeamCode& code,
           const std::set<RacePair>& observed, uint64_t most)
      : trace_(trace),
        lines_(lines),
        orders_(orders),
        observed_(observed),
        most_(most),
        atomic_(threads::atomic_statements(trace)) {
    for (const ThreadTimeline& line : lines.threads) units_.emplace_back(trace, line, code);
  }

  bool access(uint64_t time, const Reference& reference);
  void finish() {
    compare();
    thread_ = kNone;
  }
  const std::map<RacePair, Found>& found() const { return found_; }
  bool limited() const { return limited_; }

 private:
  void begin_thread(uint32_t thread);
  const Place* place_at(uint64_t time);
  void add(const Place& place, const Standing& standing, const Reference& reference, bool writes);
  void compare();
  void compare(const std::vector<uint32_t>& some, uint64_t& steps);
  bool race(const Seen& a, const Seen& b) const;

  const Trace& trace_;
  const Timelines& lines_;
  const Orders& orders_;
  const std::set<RacePair>& observed_;
  const uint64_t most_;
  const std::vector<bool> atomic_;
  std::vector<Units> units_;
  uint32_t thread_ = kNone;
  uint64_t last_time_ = 0;
  size_t next_place_ = 0, next_anew_ = 0;
  threads::Lives lives_;
  uint32_t region_ = kNone, round_ = 0;
  std::vector<Seen> seen_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> by_granule_;
  std::map<RacePair, Found> found_;
  bool limited_ = false;
};

void Searcher::begin_thread(uint32_t thread) {
  compare();
  thread_ = thread;
  last_time_ = 0;
  next_place_ = next_anew_ = 0;
  lives_ = {};
  region_ = kNone;
}

const Place* Searcher::place_at(uint64_t time) {
  const auto& places = lines_.threads[thread_].places;
  while (next_place_ < places.size() && places[next_place_].time < time) ++next_place_;
  return next_place_ < places.size() && places[next_place_].time == time ? &places[next_place_]
                                                                         : nullptr;
}

bool Searcher::access(uint64_t time, const Reference& reference) {
  if (reference.thread != thread_) begin_thread(reference.thread);
  // What is given back comes behind everything else of its thread; it is left out.
  if (time < last_time_ || lines_.threads[thread_].places.empty()) return true;
  last_time_ = time;
  const auto& anew = orders_.anew(thread_);
  for (; next_anew_ < anew.size() && anew[next_anew_].time < time; ++next_anew_)
    lives_.begin(anew[next_anew_].first, anew[next_anew_].end);
  const Place* place = place_at(time);
  if (place == nullptr || reference.bytes > kLongest) return true;
  const ThreadTimeline& line = lines_.threads[thread_];
  if (line.is_thread_local(reference.address, reference.bytes)) return true;
  const TeamRegion& region = line.regions[place->region];
  if (reference.address + reference.bytes > region.stack_first &&
      reference.address < region.stack_end)
    return true;
  const auto ref = statement_by_id(trace_, reference.statement_id);
  const Standing standing = units_[thread_].of(*place, ref->function, ref->statement);
  const bool writes = reference.kind != Reference::Kind::read;
  const Units::Parts parts =
      units_[thread_].parts(*place, ref->function, ref->statement, writes, reference.bytes);
  if (standing.unit.kind == Unit::Kind::none && parts.each.empty()) return true;
  if (place->region != region_ || place->round != round_) {
    compare();
    region_ = place->region;
    round_ = place->round;
  }
  if (seen_.size() >= most_) {
    limited_ = true;
    return true;
  }
  if (!parts.each.empty()) {
    Reference part = reference;
    part.bytes = parts.bytes;
    for (const auto& [of, distance] : parts.each) {
      part.address = reference.address + static_cast<uint64_t>(distance);
      add(*place, of, part, writes);
    }
    return true;
  }
  add(*place, standing, reference, writes);
  if (!writes)
    for (const auto& other : units_[thread_].first_reads(*place, ref->function, ref->statement)) {
      Reference moved = reference;
      moved.address += static_cast<uint64_t>(other.distance);
      add(*place, other.standing, moved, false);
    }
  return true;
}

void Searcher::add(const Place& place, const Standing& standing, const Reference& reference,
                   bool writes) {
  const Seen seen{standing,
                  &place,
                  reference.statement_id,
                  reference.address,
                  reference.bytes,
                  lives_.at(reference.address),
                  orders_.operations_before(thread_, place.time),
                  writes,
                  atomic_[reference.statement_id]};
  const auto number = static_cast<uint32_t>(seen_.size());
  bool kept = false;
  for (uint64_t granule = reference.address / kGranule;
       granule <= (reference.address + reference.bytes - 1) / kGranule; ++granule) {
    auto& some = by_granule_[granule];
    bool known = false;
    for (size_t i = some.size(); i > 0 && i + kLooksBack > some.size() && !known; --i)
      known = same(seen_[some[i - 1]], seen);
    if (known) continue;
    if (!kept) seen_.push_back(seen);
    kept = true;
    some.push_back(number);
  }
}

bool Searcher::race(const Seen& a, const Seen& b) const {
  if (!(a.writes || b.writes) || (a.atomic && b.atomic) || a.life != b.life) return false;
  if (a.address >= b.address + b.bytes || b.address >= a.address + a.bytes) return false;
  if (!units_[thread_].may_part(*a.place, a.standing, b.standing)) return false;
  return !orders_.excluded(thread_, a.standing.time, b.standing.time) &&
         !orders_.ordered(thread_, *a.place, a.standing, *b.place, b.standing);
}

void Searcher::compare(const std::vector<uint32_t>& some, uint64_t& steps) {
  for (size_t j = 0; j < some.size(); ++j)
    for (size_t i = 0; i <= j; ++i) {
      const Seen& a = seen_[some[i]];
      const Seen& b = seen_[some[j]];
      if (!a.writes && !b.writes) continue;
      // Against itself only when another thread does just the same.
      if (i == j && !a.standing.replica) continue;
      const bool turned = std::pair(b.statement, b.writes) < std::pair(a.statement, a.writes);
      const RacePair pair = turned ? RacePair{b.statement, a.statement, b.writes, a.writes}
                                   : RacePair{a.statement, b.statement, a.writes, b.writes};
      if (found_.contains(pair) || observed_.contains(pair)) continue;
      if (steps == 0) {
        limited_ = true;
        return;
      }
      --steps;
      if (race(a, b)) found_[pair] = turned ? Found{thread_, b, a} : Found{thread_, a, b};
    }
}

void Searcher::compare() {
  uint64_t steps = kMostSteps;
  std::vector<uint64_t> granules;
  for (const auto& [granule, some] : by_granule_) granules.push_back(granule);
  std::ranges::sort(granules);
  for (const uint64_t granule : granules) compare(by_granule_[granule], steps);
  seen_.clear();
  by_granule_.clear();
}

// ---- what is told of them
// ---------------------------------------------------------------------------

RaceWork work_of(const ThreadTimeline& line, TeamCode& code, const Seen& seen) {
  RaceWork told;
  const Unit& unit = seen.standing.unit;
  told.replica = seen.standing.replica;
  if (unit.work == kNone) return told;
  const Work& work = line.works[unit.work];
  if (work.statement != kNone) told.directive = StatementRef{work.function, work.statement};
  told.sections = code.of(work.function).has_sections(work.lower);
  switch (unit.kind) {
    case Unit::Kind::piece:
      told.kind = told.sections ? RaceWork::Kind::section : RaceWork::Kind::iteration;
      told.iteration = unit.iteration;
      if (work.chunk > 1) {
        told.chunk_first = unit.iteration / work.chunk * work.chunk;
        told.chunk_last = std::min(told.chunk_first + work.chunk, work.iterations) - 1;
      } else {
        told.chunk_first = told.chunk_last = unit.iteration;
      }
      return told;
    case Unit::Kind::chunk_code:
      told.kind = RaceWork::Kind::chunk;
      return told;
    case Unit::Kind::single:
      told.kind = RaceWork::Kind::single;
      return told;
    case Unit::Kind::master:
      told.kind = RaceWork::Kind::master;
      return told;
    case Unit::Kind::task:
      told.kind = RaceWork::Kind::task;
      return told;
    default:
      return told;
  }
}

RaceSide side_of(const Orders& orders, uint32_t thread, const Seen& seen) {
  RaceSide side;
  side.thread = side.strand = thread;
  side.time = seen.standing.time;
  side.operations = orders.operations_before(thread, seen.standing.time);
  return side;
}

}  // namespace

RacePair pair_of(const Trace& trace, const Race& race) {
  const auto id = [&](const RaceAccess& access) {
    return uint64_t{trace.functions()[access.statement.function].first_statement} +
           access.statement.statement;
  };
  return {id(race.a), id(race.b), race.a.writes, race.b.writes};
}

Result<std::vector<Race>> find_other_schedules(const Trace& trace, const RaceOptions& options,
                                               const races::GlobalNames& names,
                                               const std::set<RacePair>& observed,
                                               std::string& limit) {
  TeamCode code(trace);
  const auto lines = read_timelines(trace, code, options.most_accesses);
  if (!lines) return std::unexpected(lines.error());
  std::vector<Race> races;
  if (lines->threads.empty() ||
      std::ranges::all_of(lines->threads, [](const auto& line) { return line.places.empty(); }))
    return races;
  const auto orders = Orders::read(trace, *lines, code);
  if (!orders) return std::unexpected(orders.error());
  Searcher searcher(trace, *lines, *orders, code, observed, options.most_accesses);
  const auto read = threads::read_accesses(trace, [&](uint64_t time, const Reference& reference) {
    return searcher.access(time, reference);
  });
  if (!read) return std::unexpected(read.error());
  searcher.finish();
  for (const auto& [pair, found] : searcher.found()) {
    Race& race = races.emplace_back();
    const ThreadTimeline& line = lines->threads[found.thread];
    race.a = {*statement_by_id(trace, pair.a), pair.a_writes, found.a.atomic};
    race.b = {*statement_by_id(trace, pair.b), pair.b_writes, found.b.atomic};
    race.count = 1;
    race.address = std::max(found.a.address, found.b.address);
    race.variable = names.at(race.address, std::min(found.a.bytes, found.b.bytes));
    race.side_a = side_of(*orders, found.thread, found.a);
    race.side_b = side_of(*orders, found.thread, found.b);
    race.other_schedule = RaceSchedule{work_of(line, code, found.a), work_of(line, code, found.b)};
  }
  std::vector<races::KnownSide> sides;
  for (Race& race : races)
    for (const bool first : {true, false}) {
      RaceSide& side = first ? race.side_a : race.side_b;
      sides.push_back({&side, first ? race.a.statement : race.b.statement,
                       orders->stamp_before(side.thread, side.time)});
    }
  if (auto told = races::describe_sides(trace, names, sides); !told)
    return std::unexpected(std::move(told.error()));
  if (lines->limited || searcher.limited())
    limit = "there is more in regions of OpenMP than is looked at";
  return races;
}

}  // namespace vestige::schedules
