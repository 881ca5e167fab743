#include "machine_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "output.h"
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

ordered_json file_json(std::string_view file) {
  if (file.empty()) return nullptr;
  return std::string(file);
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

ordered_json statement_json(const Trace& trace, const MachineStatement& s) {
  const auto [file, line] = line_of(trace, s.statement);
  return {{"id", statement_id(trace, s.statement)},
          {"function", demangle(trace.functions()[s.statement.function].name)},
          {"file", file_json(file)},
          {"line", line},
          {"kind", kind_name(s.kind)},
          {"executions", s.executions},
          {"misses", s.misses},
          {"l2_misses", s.l2_misses},
          {"unknown", s.unknown}};
}

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
      for (const MachineStatement& s : rows) list.push_back(statement_json(trace, s));
      auto& places = json["lines"] = ordered_json::array();
      for (const LineRow& row : line_rows) {
        ordered_json& line = places.emplace_back();
        line["file"] = file_json(row.file);
        line["line"] = row.line;
        put_counts(row.counts, line);
      }
      out.json(json);
      return;
    }
    case Format::csv:
      if (lines) {
        out.text(
            "file,line,branches,mispredicted,loads,load_misses,load_l2_misses,stores,"
            "store_misses,store_l2_misses\n");
        for (const LineRow& row : line_rows) {
          out.print("{},{},{},{}", csv_field(row.file), row.line, row.counts[0].executions,
                    row.counts[0].misses);
          for (const Counts& c : {row.counts[1], row.counts[2]})
            out.print(",{},{},{}", c.executions, c.misses, c.l2_misses);
          out.text("\n");
        }
        return;
      }
      out.text("id,function,file,line,kind,executions,misses,l2_misses,unknown\n");
      for (const MachineStatement& s : rows) {
        const auto [file, line] = line_of(trace, s.statement);
        out.print("{},{},{},{},{},{},{},{},{}\n", statement_id(trace, s.statement),
                  csv_field(demangle(trace.functions()[s.statement.function].name)),
                  csv_field(file), line, kind_name(s.kind), s.executions, s.misses, s.l2_misses,
                  s.unknown);
      }
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
  using enum Table::Align;
  if (lines) {
    Table table({"misses", "line", "mispredicted", "loads L1", "L2", "stores L1", "L2"},
                {right, left, right, right, right, right, right});
    for (const LineRow& row : line_rows)
      table.row({grouped(row.misses()),
                 row.line ? fmt::format("{}:{}", file_name(row.file), row.line) : "?",
                 grouped(row.counts[0].misses), grouped(row.counts[1].misses),
                 grouped(row.counts[1].l2_misses), grouped(row.counts[2].misses),
                 grouped(row.counts[2].l2_misses)});
    table.print(out, wants_color(presentation.color));
  } else {
    Table table({"misses", "rate", "L2", "kind", "statement", "where"},
                {right, right, right, left, left, left});
    for (const MachineStatement& s : rows) {
      const Function& f = trace.functions()[s.statement.function];
      table.row({grouped(s.misses), fmt::format("{:.2f} %", percent(s.misses, s.executions)),
                 s.kind == MachineKind::branch ? "" : grouped(s.l2_misses),
                 std::string(kind_name(s.kind)),
                 fmt::format("#{} {}", statement_id(trace, s.statement),
                             statement_text(f, s.statement.statement)),
                 fmt::format("{} {}", short_function(demangle(f.name)),
                             short_place(f, f.statements[s.statement.statement].location))});
    }
    table.print(out, wants_color(presentation.color));
  }
  const size_t shown = lines ? line_rows.size() : rows.size();
  if (found > shown) out.more(more_text(found - shown, lines ? "lines" : "statements"));
}

}  // namespace vestige::cli
