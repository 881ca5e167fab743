#include "rows/pattern_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "history_query.h"
#include "output.h"
#include "report.h"
#include "rows/row_tables.h"
#include "rows/rows.h"
#include "trace_query.h"
#include "vestige/represent.h"

namespace vestige::cli {
namespace {

struct PatternRow {
  uint32_t thread;
  const AddressPattern& pattern;
  uint64_t instance;
  const PatternRun& run;
};

constexpr Column<PatternRow> kPatternColumns[] = {
    {"thread", ColumnType::number, "number of the thread",
     [](const PatternRow& row) -> Cell { return row.thread; }},
    {"statement", ColumnType::id, "which statement",
     [](const PatternRow& row) -> Cell { return row.pattern.statement_id; }},
    {"kind", ColumnType::text, "R: it reads; W: it writes",
     [](const PatternRow& row) -> Cell { return std::string_view(row.pattern.write ? "W" : "R"); }},
    {"instance", ColumnType::number, "its accesses to shared memory in the thread, from 1",
     [](const PatternRow& row) -> Cell { return row.instance; }},
    {"address", ColumnType::address, "where",
     [](const PatternRow& row) -> Cell { return row.run.start; }},
    {"start", ColumnType::address, "with --runs: the first address",
     [](const PatternRow& row) -> Cell { return row.run.start; }},
    {"stride", ColumnType::number, "with --runs: from one address to the next",
     [](const PatternRow& row) -> Cell { return static_cast<int64_t>(row.run.stride); }},
    {"count", ColumnType::count, "with --runs: how many addresses",
     [](const PatternRow& row) -> Cell { return row.run.count; }},
};

constexpr Column<PatternSummary> kPatternSummaryColumns[] = {
    {"kind", ColumnType::text, "statement",
     [](const PatternSummary&) -> Cell { return std::string_view("statement"); }, Forms::json},
    {"statement", ColumnType::id, "which statement",
     [](const PatternSummary& row) -> Cell { return row.statement_id; }, Forms::json},
    {"access", ColumnType::text, "R: it reads; W: it writes",
     [](const PatternSummary& row) -> Cell { return std::string_view(row.write ? "W" : "R"); },
     Forms::json},
    {"accesses", ColumnType::count, "its executions",
     [](const PatternSummary& row) -> Cell { return row.accesses; }, Forms::json},
    {"runs", ColumnType::count, "runs they fold into, without nests",
     [](const PatternSummary& row) -> Cell { return row.runs; }, Forms::json},
    {"stride", ColumnType::number, "the most frequent stride",
     [](const PatternSummary& row) { return row.stride_count ? Cell(row.stride) : Cell(nullptr); },
     Forms::json},
    {"stride_count", ColumnType::count, "how often it came",
     [](const PatternSummary& row) -> Cell { return row.stride_count; }, Forms::json},
    {"statements_between", ColumnType::real,
     "statements from one execution to the next, on average",
     [](const PatternSummary& row) {
       return Cell::json(fmt::format("{:.2f}", row.statements_between));
     },
     Forms::json},
    {"prefetch_distance", ColumnType::count, "executions ahead that a prefetch would want",
     [](const PatternSummary& row) {
       return row.prefetch_distance ? Cell(row.prefetch_distance) : Cell(nullptr);
     },
     Forms::json},
};

class PatternRows {
 public:
  PatternRows(const Trace& trace, bool runs, const PatternLimits& limits, Format format)
      : trace_(trace),
        runs_(runs),
        all_(limits.all || limits.most || format != Format::human),
        format_(format),
        from_(limits.from),
        left_(limits.most.value_or(UINT64_MAX)),
        writer_(kPatternColumns, style(runs, format), out_) {
    if (format_ != Format::human) writer_.begin();
  }

  Result<void> write(uint32_t thread, const AddressPattern& pattern) {
    if (left_ == 0) return {};
    uint64_t instance = 1;
    headed_ = false;
    auto read = read_pattern(trace_, thread, pattern, [&](const PatternRun& run) {
      if (runs_) {
        row(thread, pattern, instance, run);
      } else {
        const uint64_t skipped = from_ > instance ? std::min(from_ - instance, run.count) : 0;
        for (uint64_t i = skipped; i < run.count && left_ != 0; ++i)
          row(thread, pattern, instance + i, {run.start + i * run.stride, 0, 1});
      }
      instance += run.count;
      return left_ != 0;
    });
    return read;
  }

  Result<void> summarize(const std::set<uint64_t>& wanted, std::optional<uint32_t> thread) {
    const auto found = summarize_patterns(trace_, wanted, thread);
    if (!found) return std::unexpected(found.error());
    if (format_ == Format::json) {
      RowWriter<PatternSummary> rows(kPatternSummaryColumns, {format_}, out_);
      for (const PatternSummary& summary : *found) rows.row(summary);
      return {};
    }
    size_t shown = 0, worth = 0;
    for (const PatternSummary& s : *found) {
      if (s.prefetch_distance == 0 || (++worth > kShortRows && !all_)) continue;
      ++shown;
      out_.print(
          "#{}  {} {} times; stride {:+} {} times, every {:.1f} statements; prefetch {} "
          "executions ahead\n",
          s.statement_id, s.write ? "writes" : "reads", grouped(s.accesses), s.stride,
          grouped(s.stride_count), s.statements_between, grouped(s.prefetch_distance));
    }
    if (worth > shown) out_.more(more_text(worth - shown, "statements"));
    return {};
  }

  void end() {
    if (left_out_ != 0) out_.more(more_text(left_out_, runs_ ? "runs" : "addresses"));
  }

 private:
  void row(uint32_t thread, const AddressPattern& pattern, uint64_t instance,
           const PatternRun& run) {
    if (!all_ && rows_ == kShortRows) {
      ++left_out_;
      return;
    }
    ++rows_;
    --left_;
    if (format_ == Format::human && !headed_) head(thread, pattern);
    const auto stride = static_cast<int64_t>(run.stride);
    if (format_ != Format::human) {
      writer_.row({thread, pattern, instance, run});
    } else if (runs_) {
      out_.print("{:>12}  {:#x}  {:+}  × {}\n", instance, run.start, stride, grouped(run.count));
    } else {
      out_.print("{:>12}  {:#x}\n", instance, run.start);
    }
    out_.row_done();
  }

  static RowStyle style(bool runs, Format format) {
    if (runs) return {format, false, {"address"}};
    return {format, false, {"start", "stride", "count"}};
  }

  void head(uint32_t thread, const AddressPattern& pattern) {
    headed_ = true;
    out_.print("thread {}  #{}  {}, {} in {}\n", thread_name(trace_, thread), pattern.statement_id,
               pattern.write ? "writes" : "reads",
               pattern.count == 1 ? "1 address" : grouped(pattern.count) + " addresses",
               byte_size(pattern.bytes));
  }

  const Trace& trace_;
  const bool runs_, all_;
  const Format format_;
  Output out_;
  bool headed_ = false;  // the pattern at hand
  uint64_t rows_ = 0, left_out_ = 0;
  const uint64_t from_;  // the first instance
  uint64_t left_;        // rows that may still come
  RowWriter<PatternRow> writer_;
};

}  // namespace

int write_patterns(const Trace& trace, const std::vector<StatementRef>& statements,
                   std::optional<uint32_t> thread, bool runs, const PatternLimits& limits,
                   const Presentation& presentation) {
  std::set<uint64_t> wanted;
  for (const StatementRef& ref : statements)
    wanted.insert(uint64_t{trace.functions()[ref.function].first_statement} + ref.statement);
  PatternRows rows(trace, runs, limits, presentation.format());
  bool any = false;
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    if (thread && *thread != t) continue;
    const auto patterns = address_patterns(trace, t);
    if (!patterns) return report_trace(patterns.error());
    for (const AddressPattern& pattern : *patterns) {
      if (!wanted.contains(pattern.statement_id)) continue;
      any = true;
      if (auto written = rows.write(t, pattern); !written) return report_trace(written.error());
    }
  }
  rows.end();
  if (any && runs && presentation.format() != Format::csv)
    if (auto written = rows.summarize(wanted, thread); !written)
      return report_trace(written.error());
  if (any) return kDone;
  report_note(
      "these statements touch no shared memory; the recording itself knows their addresses");
  return kNo;
}

RowTable pattern_rows() { return describe("addresses (of a cdr)", kPatternColumns); }
RowTable pattern_summary_rows() {
  return describe("addresses --runs (of a cdr)", kPatternSummaryColumns);
}

}  // namespace vestige::cli
