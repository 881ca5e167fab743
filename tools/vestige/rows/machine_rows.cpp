#include "rows/machine_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "output.h"
#include "rows/row_tables.h"
#include "rows/rows.h"
#include "short_names.h"
#include "statement_text.h"
#include "trace_query.h"

namespace vestige::cli {
namespace {

using nlohmann::ordered_json;

struct Counts {
  uint64_t executions = 0, unknown = 0, misses = 0, l2_misses = 0;
  void add(const MachineStatement& s) {
    executions += s.executions;
    unknown += s.unknown;
    misses += s.misses;
    l2_misses += s.l2_misses;
  }
};
using ByKind = std::array<Counts, 3>;

const Counts& of(const ByKind& counts, MachineKind kind) {
  return counts[static_cast<size_t>(kind)];
}

struct LineRow {
  std::string_view file;
  uint32_t line = 0;
  ByKind counts;
  uint64_t misses() const { return counts[0].misses + counts[1].misses + counts[2].misses; }
};

double percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

void put_counts(const ByKind& counts, ordered_json& json) {
  const Counts& branches = of(counts, MachineKind::branch);
  json["branches"] = branches.executions;
  json["mispredicted"] = branches.misses;
  for (const MachineKind kind : {MachineKind::load, MachineKind::store}) {
    const std::string name(kind_name(kind));
    json[name + "s"] = of(counts, kind).executions;
    json[name + "_misses"] = of(counts, kind).misses;
    json[name + "_l2_misses"] = of(counts, kind).l2_misses;
  }
}

ordered_json geometry_json(const CacheGeometry& g) {
  return {{"bytes", g.bytes}, {"ways", g.ways}, {"line", g.line}};
}

std::vector<LineRow> lines_of(const Trace& trace, const std::vector<MachineStatement>& all) {
  std::map<SourceLine, ByKind> sums;
  for (const MachineStatement& s : all)
    sums[line_of(trace, s.statement)][static_cast<size_t>(s.kind)].add(s);
  std::vector<LineRow> lines;
  for (const auto& [place, counts] : sums) lines.push_back({place.file, place.line, counts});
  std::ranges::sort(lines, {}, [](const LineRow& row) {
    return std::tuple(UINT64_MAX - row.misses(), row.file, row.line);
  });
  return lines;
}

std::vector<MachineStatement> by_misses(std::vector<MachineStatement> statements) {
  std::ranges::sort(statements, {}, [](const MachineStatement& s) {
    return std::tuple(UINT64_MAX - s.misses, UINT64_MAX - s.l2_misses, s.statement.function,
                      s.statement.statement, s.kind);
  });
  return statements;
}

struct MissRow {
  const Trace& trace;
  const MachineStatement& s;
  const Function& function() const { return trace.functions()[s.statement.function]; }
};

constexpr Column<MissRow> kMissColumns[] = {
    for_people<MissRow>(right("misses"), [](const MissRow& r) { return grouped(r.s.misses); }),
    for_people<MissRow>(right("rate"),
                        [](const MissRow& r) {
                          return fmt::format("{:.2f} %", percent(r.s.misses, r.s.executions));
                        }),
    for_people<MissRow>(right("L2"),
                        [](const MissRow& r) {
                          return r.s.kind == MachineKind::branch ? "" : grouped(r.s.l2_misses);
                        }),
    {"id", ColumnType::id, "which statement",
     [](const MissRow& r) -> Cell { return statement_id(r.trace, r.s.statement); }},
    {"function", ColumnType::text, "its function",
     [](const MissRow& r) -> Cell { return demangle(r.function().name); }},
    {"file", ColumnType::text, "source file",
     [](const MissRow& r) { return Cell::text_or_null(line_of(r.trace, r.s.statement).file); }},
    {"line", ColumnType::number, "line, 0 when it is not known",
     [](const MissRow& r) -> Cell { return line_of(r.trace, r.s.statement).line; }},
    {"kind", ColumnType::text, "branch, load or store",
     [](const MissRow& r) -> Cell { return std::string_view(kind_name(r.s.kind)); }, Forms::both,
     left("kind")},
    {"executions", ColumnType::count, "how often it ran",
     [](const MissRow& r) -> Cell { return r.s.executions; }},
    {"misses", ColumnType::count, "mispredicted, or missed in the first cache",
     [](const MissRow& r) -> Cell { return r.s.misses; }},
    {"l2_misses", ColumnType::count, "of these: missed in the second cache, too",
     [](const MissRow& r) -> Cell { return r.s.l2_misses; }},
    {"unknown", ColumnType::count, "executions without a known address or target",
     [](const MissRow& r) -> Cell { return r.s.unknown; }},
    for_people<MissRow>(left("statement"),
                        [](const MissRow& r) {
                          return fmt::format("#{} {}", statement_id(r.trace, r.s.statement),
                                             statement_text(r.function(), r.s.statement.statement));
                        }),
    for_people<MissRow>(left("where"),
                        [](const MissRow& r) {
                          const Function& f = r.function();
                          return fmt::format(
                              "{} {}", short_function(demangle(f.name)),
                              short_place(f, f.statements[r.s.statement.statement].location));
                        }),
};

constexpr Column<LineRow> kLineColumns[] = {
    for_people<LineRow>(right("misses"), [](const LineRow& r) { return grouped(r.misses()); }),
    {"file", ColumnType::text, "source file",
     [](const LineRow& r) { return Cell::text_or_null(r.file); }},
    {"line", ColumnType::number, "line, 0 when it is not known",
     [](const LineRow& r) -> Cell { return r.line; }},
    for_people<LineRow>(left("line"),
                        [](const LineRow& r) {
                          return r.line ? fmt::format("{}:{}", file_name(r.file), r.line) : "?";
                        }),
    {"branches", ColumnType::count, "executed, with several targets",
     [](const LineRow& r) -> Cell { return r.counts[0].executions; }},
    {"mispredicted", ColumnType::count, "of those",
     [](const LineRow& r) -> Cell { return r.counts[0].misses; }, Forms::both,
     right("mispredicted")},
    {"loads", ColumnType::count, "executed",
     [](const LineRow& r) -> Cell { return r.counts[1].executions; }},
    {"load_misses", ColumnType::count, "missed in the first cache",
     [](const LineRow& r) -> Cell { return r.counts[1].misses; }, Forms::both, right("loads L1")},
    {"load_l2_misses", ColumnType::count, "of those: in the second cache, too",
     [](const LineRow& r) -> Cell { return r.counts[1].l2_misses; }, Forms::both, right("L2")},
    {"stores", ColumnType::count, "executed",
     [](const LineRow& r) -> Cell { return r.counts[2].executions; }},
    {"store_misses", ColumnType::count, "missed in the first cache",
     [](const LineRow& r) -> Cell { return r.counts[2].misses; }, Forms::both, right("stores L1")},
    {"store_l2_misses", ColumnType::count, "of those: in the second cache, too",
     [](const LineRow& r) -> Cell { return r.counts[2].l2_misses; }, Forms::both, right("L2")},
};

void total_line(const char* what, const Counts& counts, const char* missed, bool caches,
                Output& out) {
  out.print("{:<9}{:>16}  {} {} ({:.2f} %)", what, grouped(counts.executions),
            grouped(counts.misses), missed, percent(counts.misses, counts.executions));
  if (caches)
    out.print(", {} L2 ({:.2f} %)", grouped(counts.l2_misses),
              percent(counts.l2_misses, counts.executions));
  if (counts.unknown > 0) out.print(", {} unknown", grouped(counts.unknown));
  out.text("\n");
}

void print_table(const MachineRows& all, const std::vector<MachineStatement>& rows,
                 const std::vector<LineRow>& line_rows, Output& out) {
  if (all.lines) {
    RowWriter<LineRow> writer(kLineColumns, style_of(all.presentation), out);
    writer.begin();
    for (const LineRow& row : line_rows) writer.row(row);
    return writer.end();
  }
  RowWriter<MissRow> writer(kMissColumns, style_of(all.presentation), out);
  writer.begin();
  for (const MachineStatement& s : rows) writer.row({all.trace, s});
  writer.end();
}

}  // namespace

void MachineRows::print() const {
  Output out;
  ByKind total;
  for (const MachineStatement& s : statements) total[static_cast<size_t>(s.kind)].add(s);
  std::vector<MachineStatement> rows = by_misses(statements);
  std::vector<LineRow> line_rows = lines_of(trace, statements);
  const size_t found = lines ? line_rows.size() : rows.size();
  if (top != 0) {
    rows.resize(std::min(rows.size(), top));
    line_rows.resize(std::min(line_rows.size(), top));
  }
  const MachineModel& model = labels.model();
  const bool caches = labels.has_caches();
  switch (presentation.format()) {
    case Format::json: {
      ordered_json json;
      json["model"] = {{"predictor", predictor_name(model.predictor)},
                       {"l1", geometry_json(model.l1)},
                       {"l2", geometry_json(model.l2)}};
      put_counts(total, json);
      json["unknown"] = total[0].unknown + total[1].unknown + total[2].unknown;
      json["caches"] = caches;
      json["label_bytes"] = labels.label_bytes();
      auto& list = json["statements"] = ordered_json::array();
      for (const MachineStatement& s : rows) list.push_back(row_json(kMissColumns, {trace, s}));
      auto& places = json["lines"] = ordered_json::array();
      for (const LineRow& row : line_rows) places.push_back(row_json(kLineColumns, row));
      out.json(json);
      return;
    }
    case Format::csv:
      print_table(*this, rows, line_rows, out);
      return;
    case Format::human:
      break;
  }
  out.print("{}; L1 {}; L2 {}\n", predictor_name(model.predictor), cache_geometry_text(model.l1),
            cache_geometry_text(model.l2));
  total_line("branches", total[0], "mispredicted", false, out);
  if (caches) {
    total_line("loads", total[1], "missed L1", true, out);
    total_line("stores", total[2], "missed L1", true, out);
  }
  print_table(*this, rows, line_rows, out);
  const size_t shown = lines ? line_rows.size() : rows.size();
  if (found > shown) out.more(more_text(found - shown, lines ? "lines" : "statements"));
}

RowTable machine_statement_rows() { return describe("machine", kMissColumns); }
RowTable machine_line_rows() { return describe("machine --lines", kLineColumns); }

}  // namespace vestige::cli
