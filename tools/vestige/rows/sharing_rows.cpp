#include "rows/sharing_rows.h"

#include <fmt/format.h>

#include "output.h"
#include "report.h"
#include "rows/row_tables.h"
#include "rows/rows.h"
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

struct SharedRow {
  const Trace& trace;
  const SharingRow& row;
};

constexpr Column<SharedRow> kSharingColumns[] = {
    {"variable", ColumnType::text, "what the memory is called in the source",
     [](const SharedRow& r) { return Cell::text_or_null(std::string_view(r.row.variable)); }},
    {"address", ColumnType::address, "where it begins",
     [](const SharedRow& r) -> Cell { return r.row.address; }},
    {"bytes", ColumnType::count, "how many",
     [](const SharedRow& r) -> Cell { return r.row.bytes; }},
    {"process", ColumnType::number, "number of the process",
     [](const SharedRow& r) -> Cell { return r.row.process; }},
    {"use", ColumnType::text, "how threads use it",
     [](const SharedRow& r) -> Cell { return sharing_use_name(r.row.use); }, Forms::both,
     left("use")},
    {"advice", ColumnType::text, "what would make it cheaper",
     [](const SharedRow& r) {
       return r.row.advice == SharingAdvice::none ? Cell(nullptr)
                                                  : Cell(sharing_advice_name(r.row.advice));
     },
     Forms::both, left("advice"),
     [](const SharedRow& r) { return std::string(sharing_advice_name(r.row.advice)); }},
    {"readers", ColumnType::list, "threads that read it",
     [](const SharedRow& r) { return Cell::numbers(r.row.readers); }, Forms::both, left("readers"),
     [](const SharedRow& r) { return names(r.trace, r.row.readers); }},
    {"writers", ColumnType::list, "threads that wrote it",
     [](const SharedRow& r) { return Cell::numbers(r.row.writers); }, Forms::both, left("writers"),
     [](const SharedRow& r) { return names(r.trace, r.row.writers); }},
    {"reads", ColumnType::count, "how often it was read",
     [](const SharedRow& r) -> Cell { return r.row.reads; }, Forms::both, right("reads")},
    {"writes", ColumnType::count, "how often it was written",
     [](const SharedRow& r) -> Cell { return r.row.writes; }, Forms::both, right("writes")},
    {"changes", ColumnType::count, "how often the thread that uses it changed",
     [](const SharedRow& r) -> Cell { return r.row.changes; }},
    {"read_between", ColumnType::count,
     "consecutive writes of one thread between which others read it",
     [](const SharedRow& r) -> Cell { return r.row.read_between; }},
    {"unread_between", ColumnType::count, "those where nobody did",
     [](const SharedRow& r) -> Cell { return r.row.unread_between; }},
    {"false_line", ColumnType::number,
     "bytes of the smallest cache line that is falsely shared; null: none",
     [](const SharedRow& r) { return r.row.false_line ? Cell(r.row.false_line) : Cell(nullptr); },
     Forms::both, right("line"),
     [](const SharedRow& r) {
       return r.row.false_line ? std::to_string(r.row.false_line) : std::string("-");
     }},
    for_people<SharedRow>(right("bytes"), [](const SharedRow& r) { return grouped(r.row.bytes); }),
    for_people<SharedRow>(left("what"),
                          [](const SharedRow& r) {
                            return r.row.variable.empty() ? fmt::format("{:#x}", r.row.address)
                                                          : r.row.variable;
                          }),
};

}  // namespace

void print_sharing(const Trace& trace, const SharingReport& report,
                   const Presentation& presentation, bool all) {
  Output out;
  const Format format = presentation.format();
  if (format != Format::human || !report.rows.empty()) {
    RowWriter<SharedRow> rows(kSharingColumns, style_of(presentation), out);
    rows.begin();
    for (const SharingRow& row : report.rows) {
      if (format == Format::human && !all && rows.rows() == kShortRows) break;
      rows.row({trace, row});
    }
    rows.end();
    if (rows.rows() < report.rows.size())
      out.more(more_text(report.rows.size() - rows.rows(), "rows"));
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

RowTable sharing_rows() { return describe("sync --sharing", kSharingColumns); }

}  // namespace vestige::cli
