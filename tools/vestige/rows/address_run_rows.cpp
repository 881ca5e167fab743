#include "rows/address_run_rows.h"

#include <fmt/format.h>

#include <map>

#include "history_query.h"
#include "indexing.h"
#include "output.h"
#include "report.h"
#include "rows/row_tables.h"
#include "rows/rows.h"
#include "trace_query.h"

namespace vestige::cli {
namespace {

constexpr size_t kShortRuns = 8;  // of each statement, for people

struct RunRow {
  const Trace& trace;
  const AddressRun& run;
};

std::string nest_json(const AddressRun& run) {
  std::string text;
  for (size_t i = 1; i < run.levels.size(); ++i)
    text += fmt::format("{}{{\"stride\":{},\"count\":{}}}", i > 1 ? "," : "", run.levels[i].stride,
                        run.levels[i].count);
  return '[' + text + ']';
}

std::string nest_text(const AddressRun& run) {
  std::string text;
  for (size_t i = 1; i < run.levels.size(); ++i)
    text += fmt::format("{}{}*{}", i > 1 ? " " : "", run.levels[i].stride, run.levels[i].count);
  return text;
}

constexpr Column<RunRow> kRunColumns[] = {
    {"kind", ColumnType::text, "run", [](const RunRow&) -> Cell { return std::string_view("run"); },
     Forms::json},
    {"thread", ColumnType::number, "number of the thread",
     [](const RunRow& row) -> Cell { return row.run.thread; }},
    {"statement", ColumnType::id, "which statement",
     [](const RunRow& row) -> Cell { return statement_id(row.trace, row.run.statement); }},
    {"instance", ColumnType::number, "the first of its executions in the run",
     [](const RunRow& row) -> Cell { return row.run.first_instance; }},
    {"start", ColumnType::address, "the first address",
     [](const RunRow& row) -> Cell { return row.run.start; }},
    {"stride", ColumnType::number, "from one address to the next",
     [](const RunRow& row) -> Cell { return row.run.levels[0].stride; }},
    {"count", ColumnType::count, "how many addresses",
     [](const RunRow& row) -> Cell { return row.run.levels[0].count; }},
    {"nest", ColumnType::object, "outer loops that repeat the run: stride and count of each",
     [](const RunRow& row) { return Cell::json(nest_json(row.run)); }, Forms::json},
    {"nest", ColumnType::text, "the same as stride*count",
     [](const RunRow& row) -> Cell { return nest_text(row.run); }, Forms::csv},
};

struct RunSummaryRow {
  const Trace& trace;
  const RunSummary& summary;
};

constexpr Column<RunSummaryRow> kRunSummaryColumns[] = {
    {"kind", ColumnType::text, "statement",
     [](const RunSummaryRow&) -> Cell { return std::string_view("statement"); }, Forms::json},
    {"statement", ColumnType::id, "which statement",
     [](const RunSummaryRow& row) -> Cell {
       return statement_id(row.trace, row.summary.statement);
     },
     Forms::json},
    {"accesses", ColumnType::count, "its executions that have an address",
     [](const RunSummaryRow& row) -> Cell { return row.summary.accesses; }, Forms::json},
    {"unknown", ColumnType::count, "those without a known one",
     [](const RunSummaryRow& row) -> Cell { return row.summary.unknown; }, Forms::json},
    {"runs", ColumnType::count, "runs they fold into",
     [](const RunSummaryRow& row) -> Cell { return row.summary.runs; }, Forms::json},
    {"stride", ColumnType::number, "the most frequent stride",
     [](const RunSummaryRow& row) {
       return row.summary.stride_count ? Cell(row.summary.stride) : Cell(nullptr);
     },
     Forms::json},
    {"stride_count", ColumnType::count, "how often it came",
     [](const RunSummaryRow& row) -> Cell { return row.summary.stride_count; }, Forms::json},
    {"statements_between", ColumnType::real,
     "statements from one execution to the next, on average",
     [](const RunSummaryRow& row) {
       return Cell::json(fmt::format("{:.2f}", row.summary.statements_between));
     },
     Forms::json},
    {"prefetch_distance", ColumnType::count, "executions ahead that a prefetch would want",
     [](const RunSummaryRow& row) {
       return row.summary.prefetch_distance ? Cell(row.summary.prefetch_distance) : Cell(nullptr);
     },
     Forms::json},
};

std::string human_run(const AddressRun& run) {
  std::string text = fmt::format("{:>6}{:>12}  {:#x}", run.thread, run.first_instance, run.start);
  if (run.accesses() > 1)
    text += fmt::format(", {} times {:+}", grouped(run.levels[0].count), run.levels[0].stride);
  for (size_t i = 1; i < run.levels.size(); ++i)
    text += fmt::format("; that {} times {:+}", grouped(run.levels[i].count), run.levels[i].stride);
  return text;
}

void human_summary(const Trace& trace, const RunSummary& s, Output& out) {
  out.print("{}\n", statement_headline(trace, s.statement));
  out.print("  {} access{} in {}", grouped(s.accesses), s.accesses == 1 ? "" : "es",
            counted(s.runs, "run"));
  if (s.unknown) out.print(", {} of unknown address", grouped(s.unknown));
  if (s.stride_count)
    out.print("; stride {:+} {} times, every {:.1f} statements", s.stride, grouped(s.stride_count),
              s.statements_between);
  if (s.prefetch_distance) out.print("; prefetch {} instances ahead", grouped(s.prefetch_distance));
  out.put('\n');
}

}  // namespace

int write_runs(const Trace& trace, const std::vector<StatementRef>& statements,
               std::optional<uint32_t> thread, bool all, const Presentation& presentation) {
  index_for_query(trace, presentation);
  const Format format = presentation.format();
  Output out;
  RowWriter<RunRow> rows(kRunColumns, {format}, out);
  rows.begin();
  std::map<uint64_t, std::vector<std::string>> shown;  // for people, by statement
  const auto summaries = fold_addresses(trace, statements, thread, [&](const AddressRun& run) {
    if (format != Format::human) {
      rows.row({trace, run});
    } else {
      std::vector<std::string>& lines = shown[statement_id(trace, run.statement)];
      if (all || lines.size() < kShortRuns) lines.push_back(human_run(run));
    }
    return true;
  });
  if (!summaries) {
    out.flush();
    return report_trace(summaries.error());
  }
  if (format == Format::json) {
    RowWriter<RunSummaryRow> ends(kRunSummaryColumns, {format}, out);
    for (const RunSummary& summary : *summaries) ends.row({trace, summary});
  }
  if (format != Format::human) return kDone;
  for (size_t i = 0; i < summaries->size(); ++i) {
    if (!all && i == kShortRows) {
      out.more(more_text(summaries->size() - i, "statements"));
      break;
    }
    const RunSummary& summary = (*summaries)[i];
    human_summary(trace, summary, out);
    const std::vector<std::string>& lines = shown[statement_id(trace, summary.statement)];
    out.print("{:>6}{:>12}  {}\n", "thread", "instance", "address");
    for (const std::string& line : lines) out.print("{}\n", line);
    if (summary.runs > lines.size()) out.more(more_text(summary.runs - lines.size(), "runs"));
  }
  return kDone;
}

RowTable run_rows() { return describe("addresses --runs", kRunColumns); }
RowTable run_summary_rows() { return describe("addresses --runs", kRunSummaryColumns); }

}  // namespace vestige::cli
