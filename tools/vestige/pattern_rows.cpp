#include "pattern_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "history_query.h"
#include "output.h"
#include "report.h"
#include "trace_query.h"
#include "vestige/represent.h"

namespace vestige::cli {
namespace {

class PatternRows {
 public:
  PatternRows(const Trace& trace, bool runs, const PatternLimits& limits, Format format)
      : trace_(trace),
        runs_(runs),
        all_(limits.all || limits.most || format != Format::human),
        format_(format),
        from_(limits.from),
        left_(limits.most.value_or(UINT64_MAX)) {
    if (format_ == Format::csv)
      out_.print("thread,statement,kind,instance,{}\n", runs_ ? "start,stride,count" : "address");
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
    const char kind = pattern.write ? 'W' : 'R';
    const auto stride = static_cast<int64_t>(run.stride);
    if (format_ == Format::json) {
      nlohmann::ordered_json json = {{"thread", thread},
                                     {"statement", pattern.statement_id},
                                     {"kind", std::string(1, kind)},
                                     {"instance", instance}};
      if (runs_)
        json.update({{"start", run.start}, {"stride", stride}, {"count", run.count}});
      else
        json["address"] = run.start;
      out_.json(json);
    } else if (format_ == Format::csv) {
      out_.print("{},{},{},{},{}", thread, pattern.statement_id, kind, instance, run.start);
      if (runs_) out_.print(",{},{}", stride, run.count);
      out_.print("\n");
    } else if (runs_) {
      out_.print("{:>12}  {:#x}  {:+}  × {}\n", instance, run.start, stride, grouped(run.count));
    } else {
      out_.print("{:>12}  {:#x}\n", instance, run.start);
    }
    out_.row_done();
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
  if (any) return kDone;
  report_note(
      "these statements touch no shared memory; the recording itself knows their addresses");
  return kNo;
}

}  // namespace vestige::cli
