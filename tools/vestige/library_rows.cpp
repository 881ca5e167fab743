#include "library_rows.h"

#include <fmt/format.h>

#include "indexing.h"
#include "output.h"
#include "report.h"
#include "trace_query.h"
#include "value_text.h"
#include "vestige/values.h"

namespace vestige::cli {

int write_library_rows(const Trace& trace, std::optional<uint32_t> thread, uint64_t most,
                       bool says_more, const Presentation& presentation) {
  index_for_query(trace, presentation);
  const Format format = presentation.format();
  Output out;
  if (format == Format::csv)
    out.print("thread,statement,time,callee,kind,address,source,bytes\n");
  else if (format == Format::human)
    out.print("thread{:>11}{:>14}  {:<16}{:<10}{:>10}  address\n", "statement", "time", "callee",
              "kind", "bytes");
  uint64_t given = 0, left_out = 0;
  const auto done = read_library_ranges(trace, thread, [&](const LibraryAccess& row) {
    if (given == most) {
      ++left_out;
      return says_more;
    }
    ++given;
    const Function& function = trace.functions()[row.call.function];
    const uint32_t symbol = function.statements[row.call.statement].callee;
    const std::string callee = symbol == kNone ? "" : function.symbols[symbol];
    const uint64_t id = statement_id(trace, row.call);
    const auto number = [&](const std::optional<uint64_t>& value) {
      return value ? fmt::to_string(*value) : format == Format::json ? "null" : "";
    };
    if (format == Format::json)
      out.print(
          "{{\"thread\":{},\"statement\":{},\"time\":{},\"callee\":{},\"kind\":\"{}\","
          "\"address\":{},\"source\":{},\"bytes\":{}}}\n",
          row.thread, id, row.time, json_string(callee), kind_name(row.kind), number(row.address),
          number(row.source), number(row.bytes));
    else if (format == Format::csv)
      out.print("{},{},{},{},{},{},{},{}\n", row.thread, id, row.time, callee, kind_name(row.kind),
                number(row.address), number(row.source), number(row.bytes));
    else
      out.print("{:>6}{:>11}{:>14}  {:<16}{:<10}{:>10}  {}{}\n", row.thread, fmt::format("#{}", id),
                row.time, callee, kind_name(row.kind), row.bytes ? number(row.bytes) : "?",
                address_text(row.address, format),
                row.source ? fmt::format(" from {:#x}", *row.source) : "");
    out.row_done();
    return true;
  });
  if (says_more && left_out > 0) out.more(more_text(left_out, "rows"));
  if (!done) {
    out.flush();
    return report_trace(done.error());
  }
  return kDone;
}

}  // namespace vestige::cli
