#include "address_run_rows.h"

#include <fmt/format.h>

#include <map>

#include "history_query.h"
#include "indexing.h"
#include "output.h"
#include "report.h"
#include "trace_query.h"

namespace vestige::cli {
namespace {

constexpr size_t kShortRuns = 8;  // of each statement, for people

void json_run(const Trace& trace, const AddressRun& run, Output& out) {
  out.print(
      "{{\"kind\":\"run\",\"thread\":{},\"statement\":{},\"instance\":{},\"start\":{},\"stride\":{}"
      ","
      "\"count\":{},\"nest\":[",
      run.thread, statement_id(trace, run.statement), run.first_instance, run.start,
      run.levels[0].stride, run.levels[0].count);
  for (size_t i = 1; i < run.levels.size(); ++i)
    out.print("{}{{\"stride\":{},\"count\":{}}}", i > 1 ? "," : "", run.levels[i].stride,
              run.levels[i].count);
  out.text("]}\n");
}

void csv_run(const Trace& trace, const AddressRun& run, Output& out) {
  out.print("{},{},{},{},{},{},", run.thread, statement_id(trace, run.statement),
            run.first_instance, run.start, run.levels[0].stride, run.levels[0].count);
  for (size_t i = 1; i < run.levels.size(); ++i)
    out.print("{}{}*{}", i > 1 ? " " : "", run.levels[i].stride, run.levels[i].count);
  out.put('\n');
}

std::string human_run(const AddressRun& run) {
  std::string text = fmt::format("{:>6}{:>12}  {:#x}", run.thread, run.first_instance, run.start);
  if (run.accesses() > 1)
    text += fmt::format(", {} times {:+}", grouped(run.levels[0].count), run.levels[0].stride);
  for (size_t i = 1; i < run.levels.size(); ++i)
    text += fmt::format("; that {} times {:+}", grouped(run.levels[i].count), run.levels[i].stride);
  return text;
}

void json_summary(const Trace& trace, const RunSummary& s, Output& out) {
  out.print(
      "{{\"kind\":\"statement\",\"statement\":{},\"accesses\":{},\"unknown\":{},\"runs\":{},"
      "\"stride\":{},\"stride_count\":{},\"statements_between\":{:.2f},\"prefetch_distance\":{}}}"
      "\n",
      statement_id(trace, s.statement), s.accesses, s.unknown, s.runs,
      s.stride_count ? fmt::format("{}", s.stride) : "null", s.stride_count, s.statements_between,
      s.prefetch_distance ? fmt::format("{}", s.prefetch_distance) : "null");
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
  if (format == Format::csv) out.text("thread,statement,instance,start,stride,count,nest\n");
  std::map<uint64_t, std::vector<std::string>> shown;  // for people, by statement
  const auto summaries = fold_addresses(trace, statements, thread, [&](const AddressRun& run) {
    if (format == Format::json) {
      json_run(trace, run, out);
    } else if (format == Format::csv) {
      csv_run(trace, run, out);
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
  if (format == Format::json)
    for (const RunSummary& summary : *summaries) json_summary(trace, summary, out);
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

}  // namespace vestige::cli
