#include "vestige/races.h"

#include <fnmatch.h>

#include <algorithm>

#include "query/names/naming.h"
#include "query/races/artifacts.h"
#include "query/races/predict.h"
#include "query/races/witness.h"
#include "query/represent/kept_references.h"
#include "query/schedules/other_schedules.h"
#include "query/schedules/round_races.h"
#include "vestige/query.h"
#include "vestige/represent.h"

namespace vestige {

using namespace races;

namespace {

bool matches(const std::string& pattern, std::string_view text) {
  return pattern == text || ::fnmatch(pattern.c_str(), std::string(text).c_str(), 0) == 0;
}

// The text, or one of its tails behind a slash.
bool matches_file(const std::string& pattern, std::string_view text) {
  while (true) {
    if (matches(pattern, text)) return true;
    const size_t slash = text.find('/');
    if (slash == text.npos) return false;
    text.remove_prefix(slash + 1);
  }
}

bool matches_place(const std::string& pattern, const Trace& trace, const RaceAccess& access) {
  const Function& function = trace.functions()[access.statement.function];
  const std::string name = demangle(function.name);
  if (matches(pattern, name) || matches(pattern, without_arguments(name)) ||
      matches(pattern, function.name))
    return true;
  const uint32_t at = place_of(function, access.statement.statement);
  if (at == kNone) return false;
  const Location& location = function.locations[at];
  if (location.scope != kNone) {
    const std::string scope = demangle(function.scopes[location.scope]);
    if (matches(pattern, scope) || matches(pattern, without_arguments(scope))) return true;
  }
  if (location.file == kNone) return false;
  const std::string& file = function.files[location.file];
  return matches_file(pattern, file) ||
         matches_file(pattern, file + ":" + std::to_string(location.line));
}

bool suppressed(const RaceOptions& options, const Trace& trace, const Race& race) {
  return std::ranges::any_of(options.suppress, [&](const std::string& pattern) {
    return matches_place(pattern, trace, race.a) || matches_place(pattern, trace, race.b) ||
           (!race.variable.empty() && matches(pattern, race.variable));
  });
}

RaceAccess access_of(const Trace& trace, const Access& access) {
  return {*statement_by_id(trace, access.statement), access.writes, access.atomic};
}

// With what is made of it until pairs are found.
constexpr uint64_t kBytesOfRun = 256;

// The accesses of a recording, share by share where there are too many of them.
class Pairing {
 public:
  Pairing(const Trace& trace, const Windows* windows, uint64_t most_runs)
      : trace_(trace), windows_(windows), counts_(most_runs), most_(most_runs) {}

  Result<Pairs> find(RaceReport& report) {
    auto order = HappensBefore::read_with_tasks(trace_);
    if (!order) return std::unexpected(std::move(order.error()));
    order_ = std::move(*order);
    std::set<threads::TaskNumber> own_users;
    threads::RewriteFinder finder(order_.uses());
    if (auto read = read_whole(own_users, finder); !read)
      return std::unexpected(std::move(read.error()));
    auto rewrites = finder.finish();
    if (!own_users.empty() || rewrites) {
      // The operations are the same, and so are the pieces.
      order = HappensBefore::read_with_tasks(trace_, std::move(own_users), std::move(rewrites));
      if (!order) return std::unexpected(std::move(order.error()));
      order_ = std::move(*order);
    }
    report.misuses = order_.misuses();
    report.first_misuses = order_.first_misuses();
    report.accesses = accesses_;
    report.unknown = unknown_;
    for (uint32_t strand = 0; strand < order_.strands(); ++strand)
      report.segments += order_.of(strand).pieces.size();
    Pairs pairs;
    if (!too_many_) {
      meet({}, pairs);
      return pairs;
    }
    for (const Share& share : counts_.shares()) {
      if (auto read = read_share(share); !read) return std::unexpected(std::move(read.error()));
      meet(share, pairs);
    }
    return pairs;
  }
  const HappensBefore& order() const { return order_; }
  // About how many executions the statements have that race.
  uint64_t racing_accesses() const { return racing_; }

 private:
  // Holds all runs, or, once they are too many, only counts them.
  Result<void> read_whole(std::set<threads::TaskNumber>& own_users,
                          threads::RewriteFinder& rewrites) {
    held_.resize(trace_.threads().size());
    uint64_t held = 0;
    const auto count = [&](const ThreadRuns& runs) {
      for (const AccessRun& run : runs.runs) counts_.add(run);
    };
    return read_runs(trace_, windows_, order_, [&](uint32_t thread, ThreadRuns& found) {
      accesses_ += found.accesses;
      unknown_ += found.unknown;
      find_own_users(order_, thread, found.runs, own_users);
      find_rewrites(order_, trace_.threads()[thread].process, thread, found.runs, rewrites);
      held += found.runs.size();
      if (!too_many_ && held > most_) {
        too_many_ = true;
        for (ThreadRuns& runs : held_) {
          count(runs);
          runs = {};
        }
      }
      if (too_many_)
        count(found);
      else
        hold(thread, found);
      return true;
    });
  }

  Result<void> read_share(const Share& share) {
    held_.clear();
    held_.resize(trace_.threads().size());
    return read_runs(trace_, windows_, order_, [&](uint32_t thread, ThreadRuns& found) {
      cut_to(share, found.runs);
      hold(thread, found);
      return true;
    });
  }

  void hold(uint32_t thread, const ThreadRuns& found) {
    auto& into = held_[thread].runs;
    into.insert(into.end(), found.runs.begin(), found.runs.end());
  }

  void meet(const Share& share, Pairs& pairs) {
    std::vector<ThreadRuns> runs = by_strand(order_, std::move(held_));
    drop_private(trace_, order_, runs);
    find_pairs(trace_, order_, share, runs, pairs);
    std::set<uint32_t> racing;
    for (const auto& [pair, found] : pairs) racing.insert({pair.a.statement, pair.b.statement});
    if (racing.empty()) return;
    for (const ThreadRuns& strand : runs)
      for (const AccessRun& run : strand.runs)
        if (racing.contains(run.access.statement)) racing_ += run.where.count * run.times;
  }

  const Trace& trace_;
  const Windows* windows_;  // null: the trace is a cdr
  HappensBefore order_;
  RunCounts counts_;
  const uint64_t most_;
  bool too_many_ = false;
  uint64_t accesses_ = 0, unknown_ = 0, racing_ = 0;
  std::vector<ThreadRuns> held_;  // by thread
};

}  // namespace

Result<RaceReport> find_races(const Trace& trace, const RaceOptions& options) {
  std::optional<Windows> evaluated;
  if (representation_of(trace)) {
    if (auto kept = need_kept_references(trace); !kept) return std::unexpected(kept.error());
  } else {
    auto opened = Windows::open(trace);
    if (!opened) return std::unexpected(std::move(opened.error()));
    evaluated.emplace(std::move(*opened));
  }
  const Windows* windows = evaluated ? &*evaluated : nullptr;
  RaceReport report;
  Pairing pairing(trace, windows, std::max<uint64_t>(1, options.memory / kBytesOfRun));
  const auto found_pairs = pairing.find(report);
  if (!found_pairs) return std::unexpected(found_pairs.error());
  const Pairs& pairs = *found_pairs;
  const GlobalNames names(trace);
  name_locks(names, report.first_misuses);
  std::vector<Meeting> meetings;
  for (const auto& [key, found] : pairs) {
    Race& race = report.races.emplace_back();
    race.a = access_of(trace, key.a);
    race.b = access_of(trace, key.b);
    race.count = found.count;
    meetings.push_back(found.first);
  }
  if (auto told = describe(trace, windows, pairing.order(), names, meetings, report.races); !told)
    return std::unexpected(std::move(told.error()));
  const size_t all = report.races.size();
  // Before the marking: what is left out is no cause.
  std::erase_if(report.races, [&](const Race& race) { return suppressed(options, trace, race); });
  report.suppressed = all - report.races.size();
  if (options.artifacts && !windows) {
    if (report.races.size() > 1)
      report.artifacts_limit =
          "a cdr holds no values, and artifacts follow from them; ask the recording that it was "
          "made from";
  } else if (options.artifacts) {
    auto limit = mark_artifacts(
        {trace, *windows, pairing.order(), pairs, pairing.racing_accesses()}, report.races);
    if (!limit) return std::unexpected(std::move(limit.error()));
    report.artifacts_limit = std::move(*limit);
  }
  if (options.predict) {
    auto more = predict(trace, options, names, pairs, report.limit);
    if (!more) return std::unexpected(std::move(more.error()));
    for (Race& race : *more) {
      if (suppressed(options, trace, race))
        ++report.suppressed;
      else
        report.races.push_back(std::move(race));
    }
  }
  if (options.other_schedules) {
    if (!windows) {
      report.schedules_limit = "a cdr holds no values, and who may do what follows from them";
      return report;
    }
    std::set<schedules::RacePair> observed;
    for (const auto& [key, found] : pairs)
      observed.insert({key.a.statement, key.b.statement, key.a.writes, key.b.writes});
    for (const Race& race : report.races) observed.insert(schedules::pair_of(trace, race));
    for (const auto find : {schedules::find_other_schedules, schedules::find_round_races}) {
      auto more = find(trace, options, names, observed, report.schedules_limit);
      if (!more) return std::unexpected(std::move(more.error()));
      for (Race& race : *more) {
        if (suppressed(options, trace, race))
          ++report.suppressed;
        else
          report.races.push_back(std::move(race));
      }
    }
  }
  return report;
}

}  // namespace vestige
