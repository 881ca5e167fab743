#include "rows/cache_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

#include "output.h"
#include "rows/row_tables.h"
#include "rows/rows.h"
#include "trace_query.h"

namespace vestige::cli {
namespace {

using nlohmann::ordered_json;

double percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

struct Row {
  std::string name;  // of the file, or the variable
  uint32_t line = 0;
  CacheCounts counts;
};

std::vector<Row> sums(const CacheRows& rows, bool variables) {
  std::map<std::pair<std::string, uint32_t>, CacheCounts> by;
  for (const CacheStatement& s : rows.model.statements()) {
    const DescriptorStatement at = rows.statement(s.id);
    by[variables ? std::pair(at.variable, 0u) : std::pair(at.file, at.line)].add(s.counts);
  }
  std::vector<Row> out;
  for (const auto& [key, counts] : by) out.push_back({key.first, key.second, counts});
  // Most misses first; by name and line where they are as many.
  std::ranges::sort(out, {}, [](const Row& row) {
    return std::tuple(~row.counts.misses[0], std::string_view(row.name), row.line);
  });
  return out;
}

// Distances of 0, 1, 2 – 3, 4 – 7 …; the last ones at their lower ends.
std::map<uint64_t, uint64_t> bins(const std::vector<ReuseDistances>& reuse, uint64_t& cold) {
  std::map<uint64_t, uint64_t> out;
  for (const ReuseDistances& one : reuse) {
    cold += one.cold();
    for (const auto& [distance, count] : one.histogram()) out[std::bit_floor(distance)] += count;
  }
  return out;
}

void put(const CacheCounts& counts, size_t levels, ordered_json& json) {
  json["reads"] = counts.reads;
  json["writes"] = counts.writes;
  auto& misses = json["misses"] = ordered_json::array();
  for (size_t l = 0; l < levels; ++l) misses.push_back(counts.misses[l]);
  json["cold"] = counts.cold;
  json["replaced"] = counts.replaced;
  json["true_sharing"] = counts.true_sharing;
  json["false_sharing"] = counts.false_sharing;
  json["upgrades"] = counts.upgrades;
}

template <class T>
void cut(std::vector<T>& rows, size_t top) {
  if (top != 0 && rows.size() > top) rows.resize(top);
}

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json() : ordered_json(text);
}

void print_json(const CacheRows& rows, Output& out) {
  const size_t levels = rows.model.levels().size();
  ordered_json json;
  auto& list = json["levels"] = ordered_json::array();
  for (const CacheLevel& level : rows.model.levels())
    list.push_back({{"bytes", level.geometry.bytes},
                    {"ways", level.geometry.ways},
                    {"line", level.geometry.line},
                    {"replacement", level.replacement == Replacement::plru ? "plru" : "lru"},
                    {"shared", level.shared}});
  put(rows.model.total(), levels, json);
  auto& threads = json["threads"] = ordered_json::array();
  for (uint32_t t = 0; t < rows.threads.size(); ++t) {
    ordered_json& thread = threads.emplace_back();
    thread["thread"] = rows.threads[t];
    put(rows.model.thread(t), levels, thread);
  }
  auto places = sums(rows, false), variables = sums(rows, true);
  cut(places, rows.top);
  cut(variables, rows.top);
  auto& lines = json["lines"] = ordered_json::array();
  for (const Row& row : places) {
    ordered_json& line = lines.emplace_back();
    line["file"] = text_or_null(row.name);
    line["line"] = row.line;
    put(row.counts, levels, line);
  }
  auto& named = json["variables"] = ordered_json::array();
  for (const Row& row : variables) {
    ordered_json& variable = named.emplace_back();
    variable["variable"] = text_or_null(row.name);
    put(row.counts, levels, variable);
  }
  auto memory = rows.model.lines();
  json["memory_line_count"] = memory.size();
  cut(memory, rows.top);
  auto& memory_lines = json["memory_lines"] = ordered_json::array();
  for (const CacheLine& line : memory)
    memory_lines.push_back({{"process", line.process},
                            {"address", line.address},
                            {"threads", line.threads},
                            {"misses", line.misses},
                            {"true_sharing", line.true_sharing},
                            {"false_sharing", line.false_sharing}});
  if (!rows.reuse.empty()) {
    uint64_t cold = 0;
    auto& distances = json["reuse_distances"] = ordered_json::array();
    for (const auto& [least, count] : bins(rows.reuse, cold))
      distances.push_back(
          {{"from", least}, {"to", least == 0 ? 0 : 2 * least - 1}, {"count", count}});
    json["reuse_cold"] = cold;
  }
  out.json(json);
}

template <size_t kLevel>
Cell misses_of(const Row& row) {
  return row.counts.misses[kLevel];
}

// Rows of source lines, in CSV; the columns of levels that were not asked for are left out.
constexpr Column<Row> kCacheLineColumns[] = {
    {"file", ColumnType::text, "source file",
     [](const Row& row) { return Cell::text_or_null(std::string_view(row.name)); }, Forms::csv},
    {"line", ColumnType::number, "line, 0 when it is not known",
     [](const Row& row) -> Cell { return row.line; }, Forms::csv},
    {"reads", ColumnType::count, "references that read",
     [](const Row& row) -> Cell { return row.counts.reads; }, Forms::csv},
    {"writes", ColumnType::count, "references that write",
     [](const Row& row) -> Cell { return row.counts.writes; }, Forms::csv},
    {"l1_misses", ColumnType::count, "that missed the first level", misses_of<0>, Forms::csv},
    {"l2_misses", ColumnType::count, "that missed the second, too", misses_of<1>, Forms::csv},
    {"l3_misses", ColumnType::count, "and the third", misses_of<2>, Forms::csv},
    {"l4_misses", ColumnType::count, "and the fourth", misses_of<3>, Forms::csv},
    {"cold", ColumnType::count, "misses of the first level: never touched before",
     [](const Row& row) -> Cell { return row.counts.cold; }, Forms::csv},
    {"replaced", ColumnType::count, "replaced since",
     [](const Row& row) -> Cell { return row.counts.replaced; }, Forms::csv},
    {"true_sharing", ColumnType::count, "another thread wrote it",
     [](const Row& row) -> Cell { return row.counts.true_sharing; }, Forms::csv},
    {"false_sharing", ColumnType::count, "another thread wrote the line beside it",
     [](const Row& row) -> Cell { return row.counts.false_sharing; }, Forms::csv},
    {"upgrades", ColumnType::count, "writes that took the line from other caches",
     [](const Row& row) -> Cell { return row.counts.upgrades; }, Forms::csv},
};

void print_csv(const CacheRows& rows, Output& out) {
  auto places = sums(rows, false);
  cut(places, rows.top);
  RowStyle style{Format::csv};
  constexpr std::string_view kLevels[] = {"l1_misses", "l2_misses", "l3_misses", "l4_misses"};
  static_assert(std::size(kLevels) == kMostCacheLevels);
  for (size_t level = rows.model.levels().size(); level < std::size(kLevels); ++level)
    style.without.push_back(kLevels[level]);
  RowWriter<Row> writer(kCacheLineColumns, std::move(style), out);
  writer.begin();
  for (const Row& row : places) writer.row(row);
}

void print_list(const CacheRows& rows, const char* what, std::vector<Row> list, Output& out) {
  using enum Table::Align;
  const bool several = rows.model.levels().size() > 1;
  std::vector<std::string> headers = {"misses", "rate"};
  std::vector<Table::Align> align = {right, right};
  if (several) {
    headers.push_back("of the last level");
    align.push_back(right);
  }
  headers.insert(headers.end(), {"sharing", what});
  align.insert(align.end(), {right, left});
  const size_t found = list.size();
  cut(list, rows.top);
  Table table(headers, align);
  for (const Row& row : list) {
    const CacheCounts& c = row.counts;
    std::vector<std::string> cells = {
        grouped(c.misses[0]), fmt::format("{:.2f} %", percent(c.misses[0], c.references()))};
    if (several) cells.push_back(grouped(c.misses[rows.model.levels().size() - 1]));
    cells.push_back(grouped(c.true_sharing + c.false_sharing));
    cells.push_back(row.name.empty() ? "?"
                    : row.line != 0  ? fmt::format("{}:{}", file_name(row.name), row.line)
                                     : row.name);
    table.row(std::move(cells));
  }
  out.text("\n");
  table.print(out, wants_color(rows.presentation.color));
  if (found > list.size()) out.more(more_text(found - list.size(), "rows"));
}

void print_shared_lines(const CacheRows& rows, Output& out) {
  using enum Table::Align;
  std::vector<CacheLine> lines = rows.model.lines();
  std::erase_if(lines, [](const CacheLine& l) { return l.true_sharing + l.false_sharing == 0; });
  if (lines.empty()) return;
  // Most sharing first; as the model has them, by misses and address, where it is as much.
  std::ranges::sort(lines, {}, [](const CacheLine& line) {
    return std::tuple(~(line.true_sharing + line.false_sharing), ~line.misses, line.process,
                      line.address);
  });
  const size_t found = lines.size();
  cut(lines, rows.top);
  Table table({"true sharing", "false sharing", "misses", "threads", "line of memory"},
              {right, right, right, right, left});
  for (const CacheLine& line : lines)
    table.row({grouped(line.true_sharing), grouped(line.false_sharing), grouped(line.misses),
               grouped(line.threads), fmt::format("{:#x}", line.address)});
  out.text("\n");
  table.print(out, wants_color(rows.presentation.color));
  if (found > lines.size()) out.more(more_text(found - lines.size(), "lines of memory"));
}

void print_reuse(const CacheRows& rows, Output& out) {
  using enum Table::Align;
  uint64_t cold = 0;
  Table table({"touches", "distance"}, {right, left});
  for (const auto& [least, count] : bins(rows.reuse, cold))
    table.row({grouped(count),
               least < 2 ? grouped(least)
                         : fmt::format("{} – {}", grouped(least), grouped(2 * least - 1))});
  table.row({grouped(cold), "never touched before"});
  out.text("\n");
  table.print(out, wants_color(rows.presentation.color));
}

void print_text(const CacheRows& rows, Output& out) {
  const CacheCounts total = rows.model.total();
  out.print("references {:>16}  ({} reads, {} writes)\n", grouped(total.references()),
            grouped(total.reads), grouped(total.writes));
  for (size_t l = 0; l < rows.model.levels().size(); ++l)
    out.print("L{} misses  {:>16}  {:.2f} %  {}\n", l + 1, grouped(total.misses[l]),
              percent(total.misses[l], total.references()),
              cache_level_text(rows.model.levels()[l]));
  out.print("of L1      {:>16} cold, {} replaced, {} true sharing, {} false sharing; {} upgrades\n",
            grouped(total.cold), grouped(total.replaced), grouped(total.true_sharing),
            grouped(total.false_sharing), grouped(total.upgrades));
  print_list(rows, "line", sums(rows, false), out);
  print_list(rows, "variable", sums(rows, true), out);
  print_shared_lines(rows, out);
  if (!rows.reuse.empty()) print_reuse(rows, out);
}

}  // namespace

void CacheRows::print() const {
  Output out;
  switch (presentation.format()) {
    case Format::json:
      return print_json(*this, out);
    case Format::csv:
      return print_csv(*this, out);
    case Format::human:
      return print_text(*this, out);
  }
}

RowTable cache_line_rows() { return describe("replay --cache", kCacheLineColumns); }

}  // namespace vestige::cli
