#include "vestige/races.h"

#include <fnmatch.h>

#include <algorithm>

#include "query/naming.h"
#include "query/races/artifacts.h"
#include "query/races/predict.h"
#include "query/races/witness.h"
#include "vestige/query.h"

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

}  // namespace

Result<RaceReport> find_races(const Trace& trace, const RaceOptions& options) {
  const auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(windows.error());
  auto order = HappensBefore::read_with_tasks(trace);
  if (!order) return std::unexpected(std::move(order.error()));
  auto of_threads = read_runs(trace, *windows, *order);
  if (!of_threads) return std::unexpected(std::move(of_threads.error()));
  if (auto users = own_users(*order, *of_threads); !users.empty()) {
    // The operations are the same, and so are the pieces.
    order = HappensBefore::read_with_tasks(trace, std::move(users));
    if (!order) return std::unexpected(std::move(order.error()));
  }
  std::vector<ThreadRuns> runs = by_strand(*order, std::move(*of_threads));
  RaceReport report;
  for (uint32_t strand = 0; strand < runs.size(); ++strand) {
    report.accesses += runs[strand].accesses;
    report.unknown += runs[strand].unknown;
    report.segments += order->of(strand).pieces.size();
  }
  drop_private(trace, *order, runs);
  const Pairs pairs = find_pairs(trace, *order, runs);
  const GlobalNames names(trace);
  std::vector<Meeting> meetings;
  for (const auto& [key, found] : pairs) {
    Race& race = report.races.emplace_back();
    race.a = access_of(trace, key.a);
    race.b = access_of(trace, key.b);
    race.count = found.count;
    meetings.push_back(found.first);
  }
  if (auto told = describe(trace, *windows, *order, names, meetings, report.races); !told)
    return std::unexpected(std::move(told.error()));
  const size_t all = report.races.size();
  // Before the marking, which counts those that are left.
  std::erase_if(report.races, [&](const Race& race) { return suppressed(options, trace, race); });
  report.suppressed = all - report.races.size();
  if (options.artifacts) mark_artifacts(trace, report.races);
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
  return report;
}

}  // namespace vestige
