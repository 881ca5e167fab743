#include "sharing_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "output.h"
#include "report.h"
#include "trace_query.h"

namespace vestige::cli {

namespace {

std::string names(const Trace& trace, const std::vector<uint32_t>& threads) {
  constexpr size_t kMost = 4;
  std::string text;
  for (size_t i = 0; i < threads.size() && i < kMost; ++i)
    text += (i == 0 ? "" : " ") + thread_name(trace, threads[i]);
  if (threads.size() > kMost) text += fmt::format(" … {}", threads.size());
  return text.empty() ? "-" : text;
}

void print_json(const SharingRow& row, Output& out) {
  out.print(
      "{{\"variable\":{},\"address\":{},\"bytes\":{},\"process\":{},\"use\":\"{}\",\"advice\":{},"
      "\"readers\":[{}],\"writers\":[{}],\"reads\":{},\"writes\":{},\"changes\":{},"
      "\"read_between\":{},\"unread_between\":{},\"false_line\":{}}}\n",
      row.variable.empty() ? "null" : json_string(row.variable), row.address, row.bytes,
      row.process, sharing_use_name(row.use),
      row.advice == SharingAdvice::none ? "null" : json_string(sharing_advice_name(row.advice)),
      fmt::join(row.readers, ","), fmt::join(row.writers, ","), row.reads, row.writes, row.changes,
      row.read_between, row.unread_between,
      row.false_line == 0 ? "null" : std::to_string(row.false_line));
}

void print_csv(const SharingRow& row, Output& out) {
  out.print("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(row.variable), row.address,
            row.bytes, row.process, sharing_use_name(row.use),
            row.advice == SharingAdvice::none ? "" : sharing_advice_name(row.advice),
            fmt::join(row.readers, " "), fmt::join(row.writers, " "), row.reads, row.writes,
            row.changes, row.read_between, row.unread_between,
            row.false_line == 0 ? "" : std::to_string(row.false_line));
}

}  // namespace

void print_sharing(const Trace& trace, const SharingReport& report,
                   const Presentation& presentation, bool all) {
  Output out;
  const Format format = presentation.format();
  if (format == Format::json)
    for (const SharingRow& row : report.rows) print_json(row, out);
  if (format == Format::csv) {
    out.text(
        "variable,address,bytes,process,use,advice,readers,writers,reads,writes,changes,"
        "read_between,unread_between,false_line\n");
    for (const SharingRow& row : report.rows) print_csv(row, out);
  }
  if (format == Format::human && !report.rows.empty()) {
    using enum Table::Align;
    Table table({"use", "advice", "readers", "writers", "reads", "writes", "line", "bytes", "what"},
                {left, left, left, left, right, right, right, right, left});
    uint64_t given = 0;
    for (const SharingRow& row : report.rows) {
      if (!all && given == kShortRows) break;
      ++given;
      table.row({std::string(sharing_use_name(row.use)),
                 std::string(sharing_advice_name(row.advice)), names(trace, row.readers),
                 names(trace, row.writers), grouped(row.reads), grouped(row.writes),
                 row.false_line == 0 ? "-" : std::to_string(row.false_line), grouped(row.bytes),
                 row.variable.empty() ? fmt::format("{:#x}", row.address) : row.variable});
    }
    table.print(out, wants_color(presentation.color));
    if (given < report.rows.size()) out.more(more_text(report.rows.size() - given, "rows"));
  }
  out.flush();
  if (presentation.quiet) return;
  if (report.unknown > 0)
    report_note(
        fmt::format("of {} accesses the address is not known; they were left out", report.unknown));
  if (report.left_out > 0)
    report_note(
        fmt::format("{} accesses are of memory past the first {} places, which is all that "
                    "is kept; they were left out",
                    report.left_out, 1 << 22));
}

}  // namespace vestige::cli
