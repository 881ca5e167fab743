#include "rows/race_rows.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "output.h"
#include "rows/row_tables.h"
#include "rows/rows.h"
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

struct SourcePlace {
  std::string file;
  uint32_t line = 0, column = 0;
};

SourcePlace place_at(const Function& function, uint32_t at) {
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
  const SourcePlace place = place_at(function, location_of(trace, access));
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
    const SourcePlace place = place_at(function, frame.location);
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

std::string_view work_name(RaceWork::Kind kind) {
  switch (kind) {
    case RaceWork::Kind::team:
      return "team";
    case RaceWork::Kind::iteration:
      return "iteration";
    case RaceWork::Kind::chunk:
      return "chunk";
    case RaceWork::Kind::single:
      return "single";
    case RaceWork::Kind::master:
      return "master";
    case RaceWork::Kind::task:
      return "task";
    case RaceWork::Kind::section:
      return "section";
    case RaceWork::Kind::round:
      return "round";
  }
  return "";
}

SourcePlace place_of_work(const Trace& trace, const RaceWork& work) {
  if (!work.directive) return {};
  const Function& function = trace.functions()[work.directive->function];
  return place_at(function, place_of(function, work.directive->statement));
}

Json work_json(const Trace& trace, const RaceWork& work) {
  using Kind = RaceWork::Kind;
  const bool dealt = work.kind == Kind::iteration || work.kind == Kind::section;
  const bool numbered = dealt || work.kind == Kind::round;
  const SourcePlace place = place_of_work(trace, work);
  return {{"kind", work_name(work.kind)},
          {"number", numbered ? Json(work.iteration) : Json(nullptr)},
          {"first", dealt ? Json(work.chunk_first) : Json(nullptr)},
          {"last", dealt ? Json(work.chunk_last) : Json(nullptr)},
          {"file", text_or_null(place.file)},
          {"line", place.line}};
}

std::string work_text(const Trace& trace, const RaceWork& work) {
  const SourcePlace place = place_of_work(trace, work);
  const std::string where = place.line == 0 ? "" : fmt::format(" of line {}", place.line);
  if (work.kind == RaceWork::Kind::team) return "code of every thread of the team";
  if (work.kind == RaceWork::Kind::chunk)
    return fmt::format("code around the {}{}", work.sections ? "sections" : "iterations", where);
  if (work.kind == RaceWork::Kind::round) return fmt::format("round {}{}", work.iteration, where);
  if (work.kind != RaceWork::Kind::iteration && work.kind != RaceWork::Kind::section)
    return fmt::format("{}{}", work_name(work.kind), where);
  const std::string chunk = work.chunk_first == work.chunk_last
                                ? ""
                                : fmt::format(" (chunk {}–{})", work.chunk_first, work.chunk_last);
  return fmt::format("{} {}{}{}", work_name(work.kind), work.iteration, chunk, where);
}

Json witness_json(const Trace& trace, const Race& race) {
  Json witness = {{"address", race.address},
                  {"variable", text_or_null(race.variable)},
                  {"a", side_json(trace, race.side_a)},
                  {"b", side_json(trace, race.side_b)}};
  if (race.other_schedule) {
    witness["a"]["work"] = work_json(trace, race.other_schedule->a);
    witness["b"]["work"] = work_json(trace, race.other_schedule->b);
  }
  if (race.reordering) {
    witness["reordering"] = prefixes_json(race.reordering->threads);
    witness["turns"] =
        race.reordering->turns.empty() ? Json(nullptr) : prefixes_json(race.reordering->turns);
  }
  return witness;
}

struct RaceRow {
  const Trace& trace;
  size_t number;
  const Race& race;
  bool predict;

  Cell function(const RaceAccess& access) const {
    return demangle(trace.functions()[access.statement.function].name);
  }
  SourcePlace place(const RaceAccess& access) const {
    return place_at(trace.functions()[access.statement.function], location_of(trace, access));
  }
};

Cell race_kind(const RaceAccess& access) { return std::string_view(access.writes ? "W" : "R"); }

constexpr Column<RaceRow> kRaceColumns[] = {
    {"race", ColumnType::number, "its number in this answer",
     [](const RaceRow& row) -> Cell { return row.number; }, Forms::json},
    {"a", ColumnType::object, "one access: file, line, kind, column, function, id, callee, atomic",
     [](const RaceRow& row) { return Cell::json(access_json(row.trace, row.race.a)); },
     Forms::json},
    {"b", ColumnType::object, "the other",
     [](const RaceRow& row) { return Cell::json(access_json(row.trace, row.race.b)); },
     Forms::json},
    {"kind_a", ColumnType::text, "R: one reads; W: it writes",
     [](const RaceRow& row) { return race_kind(row.race.a); }, Forms::csv},
    {"function_a", ColumnType::text, "its function",
     [](const RaceRow& row) { return row.function(row.race.a); }, Forms::csv},
    {"file_a", ColumnType::text, "its source file",
     [](const RaceRow& row) -> Cell { return row.place(row.race.a).file; }, Forms::csv},
    {"line_a", ColumnType::number, "its line",
     [](const RaceRow& row) -> Cell { return row.place(row.race.a).line; }, Forms::csv},
    {"kind_b", ColumnType::text, "R: the other reads; W: it writes",
     [](const RaceRow& row) { return race_kind(row.race.b); }, Forms::csv},
    {"function_b", ColumnType::text, "its function",
     [](const RaceRow& row) { return row.function(row.race.b); }, Forms::csv},
    {"file_b", ColumnType::text, "its source file",
     [](const RaceRow& row) -> Cell { return row.place(row.race.b).file; }, Forms::csv},
    {"line_b", ColumnType::number, "its line",
     [](const RaceRow& row) -> Cell { return row.place(row.race.b).line; }, Forms::csv},
    {"count", ColumnType::count, "pairs of accesses",
     [](const RaceRow& row) -> Cell { return row.race.count; }},
    {"variable", ColumnType::text, "what the memory is called in the source",
     [](const RaceRow& row) -> Cell { return std::string_view(row.race.variable); }, Forms::csv},
    {"address", ColumnType::address, "of the first pair",
     [](const RaceRow& row) -> Cell { return row.race.address; }, Forms::csv},
    {"artifact", ColumnType::boolean, "whether it may follow from another race",
     [](const RaceRow& row) -> Cell { return row.race.artifact_of.has_value(); }, Forms::json},
    {"artifact_of", ColumnType::number, "from which",
     [](const RaceRow& row) {
       return row.race.artifact_of ? Cell(*row.race.artifact_of) : Cell(nullptr);
     }},
    {"witness", ColumnType::object, "one pair: address, variable, stack and locks of both sides",
     [](const RaceRow& row) { return Cell::json(witness_json(row.trace, row.race)); }, Forms::json},
    {"predicted", ColumnType::boolean, "with --predict: another order would have it",
     [](const RaceRow& row) {
       return row.predict ? Cell::flag(row.race.reordering.has_value()) : Cell();
     }},
    {"schedule", ColumnType::text,
     "recorded: two threads did it; other: one did, and OpenMP may give it to two",
     [](const RaceRow& row) -> Cell {
       return std::string_view(row.race.other_schedule ? "other" : "recorded");
     }},
};

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
    pairs.push_back(row_json(kRaceColumns, {trace, i, race, predict}));
  }
  Json misuses = Json::array();
  for (const SyncMisuse& misuse : report.first_misuses) misuses.push_back(misuse_json(misuse));
  Json json = {{"pairs", pairs},
               {"suppressed", report.suppressed},
               {"accesses", report.accesses},
               {"unknown", report.unknown},
               {"segments", report.segments},
               {"artifacts_limit", text_or_null(report.artifacts_limit)},
               {"schedules_limit", text_or_null(report.schedules_limit)},
               {"seconds", seconds},
               {"misuses", report.misuses},
               {"first_misuses", misuses}};
  if (predict) json["limit"] = text_or_null(report.limit);
  Output out;
  out.json(json);
}

void RaceRows::print_csv() const {
  Output out;
  RowStyle style = style_of(presentation);
  if (!predict) style.without = {"predicted"};
  RowWriter<RaceRow> rows(kRaceColumns, std::move(style), out);
  rows.begin();
  for (size_t i = 0; i < report.races.size(); ++i)
    if (!report.races[i].artifact_of || show_artifacts)
      rows.row({trace, i, report.races[i], predict});
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
        race.other_schedule ? "in another schedule, a pair of accesses"
        : race.reordering
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
    if (race.other_schedule)
      out.print("  side by side when two threads do: {}; {}\n",
                work_text(trace, race.other_schedule->a), work_text(trace, race.other_schedule->b));
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

RowTable race_rows() { return describe("races", kRaceColumns); }

}  // namespace vestige::cli
