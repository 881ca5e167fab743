#include "race_rows.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "output.h"
#include "short_names.h"
#include "trace_query.h"
#include "vestige/query.h"

namespace vestige::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShortFrames = 4;
constexpr size_t kShortRaces = 20;
constexpr size_t kShortTurns = 8;
constexpr size_t kShortMisuses = 8;

struct Place {
  std::string file;
  uint32_t line = 0, column = 0;
};

Place place_at(const Function& function, uint32_t at) {
  if (at == kNone) return {};
  const Location& location = function.locations[at];
  return {location.file == kNone ? "" : function.files[location.file], location.line,
          location.column};
}

uint32_t location_of(const Trace& trace, const RaceAccess& access) {
  return place_of(trace.functions()[access.statement.function], access.statement.statement);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

// Of a call of a library function: its name. Empty of other statements.
std::string callee_of(const Trace& trace, const RaceAccess& access) {
  const Function& function = trace.functions()[access.statement.function];
  const Statement& statement = function.statements[access.statement.statement];
  const bool calls = statement.op == Op::call || statement.op == Op::invoke;
  if (!calls || statement.callee == kNone) return {};
  const std::string& name = function.symbols[statement.callee];
  return name.starts_with("llvm.") ? "" : short_function(demangle(name));
}

Json access_json(const Trace& trace, const RaceAccess& access) {
  const Function& function = trace.functions()[access.statement.function];
  const Place place = place_at(function, location_of(trace, access));
  return {{"file", text_or_null(place.file)},
          {"line", place.line},
          {"kind", access.writes ? "W" : "R"},
          {"column", place.column},
          {"function", demangle(function.name)},
          {"id", statement_id(trace, access.statement)},
          {"callee", text_or_null(callee_of(trace, access))},
          {"atomic", access.atomic}};
}

Json side_json(const Trace& trace, const RaceSide& side) {
  Json stack = Json::array(), locks = Json::array();
  for (const RaceFrame& frame : side.stack) {
    if (frame.function == kNone) {
      stack.push_back({{"function", nullptr}, {"file", nullptr}, {"line", 0}});
      continue;
    }
    const Function& function = trace.functions()[frame.function];
    const Place place = place_at(function, frame.location);
    stack.push_back({{"function", demangle(function.name)},
                     {"file", text_or_null(place.file)},
                     {"line", place.line}});
  }
  for (const RaceLock& lock : side.locks)
    locks.push_back({{"object", lock.object},
                     {"variable", text_or_null(lock.variable)},
                     {"shared", lock.shared}});
  return {{"thread", side.thread},
          {"time", side.time},
          {"sync_ops", side.operations},
          {"stack", stack},
          {"locks", locks}};
}

Json misuse_json(const SyncMisuse& misuse) {
  const SyncOperation& op = misuse.operation;
  return {{"thread", op.thread},
          {"time", op.time},
          {"number", op.number},
          {"kind", sync_kind_name(op.kind)},
          {"object", op.kind == SyncKind::cond_wait ? op.other : op.object},
          {"variable", text_or_null(misuse.lock)},
          {"holder", misuse.holder == kNone ? Json(nullptr) : Json(misuse.holder)}};
}

Json prefixes_json(const std::vector<RaceReordering::Prefix>& prefixes) {
  Json threads = Json::array();
  for (const RaceReordering::Prefix& prefix : prefixes)
    threads.push_back(
        {{"thread", prefix.thread}, {"time", prefix.time}, {"sync_ops", prefix.operations}});
  return threads;
}

std::string prefixes_text(const Trace& trace, std::span<const RaceReordering::Prefix> prefixes) {
  std::string text;
  for (const RaceReordering::Prefix& prefix : prefixes)
    text += fmt::format("{}{} up to time {} ({} operations)", text.empty() ? "" : ", ",
                        thread_name(trace, prefix.thread), prefix.time, prefix.operations);
  return text.empty() ? "nothing" : text;
}

}  // namespace

void RaceRows::print() const {
  if (presentation.format() == Format::json) return print_json();
  if (presentation.format() == Format::csv) return print_csv();
  print_text();
}

void RaceRows::print_json() const {
  Json pairs = Json::array();
  for (size_t i = 0; i < report.races.size(); ++i) {
    const Race& race = report.races[i];
    if (race.artifact_of && !show_artifacts) continue;
    Json witness = {{"address", race.address},
                    {"variable", text_or_null(race.variable)},
                    {"a", side_json(trace, race.side_a)},
                    {"b", side_json(trace, race.side_b)}};
    pairs.push_back({{"race", i},
                     {"a", access_json(trace, race.a)},
                     {"b", access_json(trace, race.b)},
                     {"count", race.count},
                     {"artifact", race.artifact_of.has_value()},
                     {"artifact_of", race.artifact_of ? Json(*race.artifact_of) : Json(nullptr)},
                     {"witness", std::move(witness)}});
    if (predict) pairs.back()["predicted"] = race.reordering.has_value();
    if (race.reordering) {
      Json& witness = pairs.back()["witness"];
      witness["reordering"] = prefixes_json(race.reordering->threads);
      witness["turns"] =
          race.reordering->turns.empty() ? Json(nullptr) : prefixes_json(race.reordering->turns);
    }
  }
  Json misuses = Json::array();
  for (const SyncMisuse& misuse : report.first_misuses) misuses.push_back(misuse_json(misuse));
  Json json = {{"pairs", pairs},
               {"suppressed", report.suppressed},
               {"accesses", report.accesses},
               {"unknown", report.unknown},
               {"segments", report.segments},
               {"artifacts_limit", text_or_null(report.artifacts_limit)},
               {"seconds", seconds},
               {"misuses", report.misuses},
               {"first_misuses", misuses}};
  if (predict) json["limit"] = text_or_null(report.limit);
  Output out;
  out.json(json);
}

void RaceRows::print_csv() const {
  Output out;
  out.text(
      "kind_a,function_a,file_a,line_a,kind_b,function_b,file_b,line_b,count,variable,address,"
      "artifact_of");
  out.text(predict ? ",predicted\n" : "\n");
  const auto side = [&](const RaceAccess& access) {
    const Function& function = trace.functions()[access.statement.function];
    const Place place = place_at(function, location_of(trace, access));
    return fmt::format("{},{},{},{}", access.writes ? "W" : "R", csv_field(demangle(function.name)),
                       csv_field(place.file), place.line);
  };
  for (const Race& race : report.races) {
    if (race.artifact_of && !show_artifacts) continue;
    out.print("{},{},{},{},{},{}{}\n", side(race.a), side(race.b), race.count,
              csv_field(race.variable), race.address,
              race.artifact_of ? std::to_string(*race.artifact_of) : "",
              !predict          ? ""
              : race.reordering ? ",1"
                                : ",0");
  }
}

// Locks that were given back by threads that did not have them.
void RaceRows::print_misuses(Output& out) const {
  const auto& some = report.first_misuses;
  const size_t shown = all ? some.size() : std::min(some.size(), kShortMisuses);
  for (size_t i = 0; i < shown; ++i) {
    const SyncMisuse& misuse = some[i];
    const SyncOperation& op = misuse.operation;
    const uint64_t lock = op.kind == SyncKind::cond_wait ? op.other : op.object;
    out.print(
        "misuse: {} of {} by thread {} at time {}, which did not have it{}\n",
        sync_kind_name(op.kind), misuse.lock.empty() ? fmt::format("{:#x}", lock) : misuse.lock,
        thread_name(trace, op.thread), op.time,
        misuse.holder == kNone ? ""
                               : fmt::format(": thread {} had", thread_name(trace, misuse.holder)));
  }
  if (shown < report.misuses) out.text(more_text(report.misuses - shown, "misuses of locks"));
}

void RaceRows::print_text() const {
  Output out;
  uint64_t given = 0, more = 0, hidden = 0;
  for (size_t i = 0; i < report.races.size(); ++i) {
    const Race& race = report.races[i];
    if (race.artifact_of && !show_artifacts) {
      ++hidden;
      continue;
    }
    if (given == kShortRaces && !all) {
      ++more;
      continue;
    }
    if (given++ > 0) out.put('\n');
    const std::string head =
        race.reordering
            ? "predicted, a pair of accesses"
            : grouped(race.count) + (race.count == 1 ? " pair of accesses" : " pairs of accesses");
    out.print("race {}: {}{}{}\n", i, head,
              race.variable.empty() ? fmt::format(" to {:#x}", race.address)
                                    : fmt::format(" to {}", race.variable),
              race.artifact_of ? fmt::format("; may follow from race {}", *race.artifact_of) : "");
    for (const bool first : {true, false}) {
      const RaceAccess& access = first ? race.a : race.b;
      const RaceSide& side = first ? race.side_a : race.side_b;
      std::string locks;
      for (const RaceLock& lock : side.locks)
        locks += (locks.empty() ? ", holding " : ", ") +
                 (lock.variable.empty() ? fmt::format("{:#x}", lock.object) : lock.variable);
      const std::string callee = callee_of(trace, access);
      out.print("  {} by {}thread {} at time {}{}\n",
                access.atomic ? (access.writes ? "atomic write" : "atomic read")
                              : (access.writes ? "write" : "read"),
                callee.empty() ? "" : callee + "() in ", thread_name(trace, side.thread), side.time,
                locks);
      const size_t frames = all ? side.stack.size() : std::min(side.stack.size(), kShortFrames);
      for (size_t k = 0; k < frames; ++k) {
        const RaceFrame& frame = side.stack[k];
        if (frame.function == kNone) {
          out.text("      (not recorded)\n");
          continue;
        }
        const Function& function = trace.functions()[frame.function];
        out.print("      {}  {}\n", short_function(demangle(function.name)),
                  frame.location == kNone ? "" : short_place(function, frame.location));
      }
    }
    if (!race.reordering) continue;
    out.print("  side by side after {}\n", prefixes_text(trace, race.reordering->threads));
    const std::span turns(race.reordering->turns);
    if (turns.empty()) continue;
    const size_t shown = all ? turns.size() : std::min(turns.size(), kShortTurns);
    out.print("  in this order: {}{}\n", prefixes_text(trace, turns.first(shown)),
              shown < turns.size() ? fmt::format(" and {} turns more", turns.size() - shown) : "");
  }
  if (more > 0) out.more(more_text(more, "races"));
  if (report.races.empty()) out.text("no races\n");
  print_misuses(out);
  if (hidden > 0) out.print("{} that may follow from others not shown\n", hidden);
  if (report.suppressed > 0) out.print("{} suppressed\n", report.suppressed);
}

}  // namespace vestige::cli
