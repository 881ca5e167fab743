#include "rows/library_rows.h"

#include <fmt/format.h>

#include "indexing.h"
#include "output.h"
#include "report.h"
#include "rows/row_tables.h"
#include "rows/rows.h"
#include "trace_query.h"
#include "value_text.h"
#include "vestige/values.h"

namespace vestige::cli {

namespace {

struct LibraryRow {
  const Trace& trace;
  const LibraryAccess& access;

  std::string_view callee() const {
    const Function& function = trace.functions()[access.call.function];
    const uint32_t symbol = function.statements[access.call.statement].callee;
    return symbol == kNone ? std::string_view() : std::string_view(function.symbols[symbol]);
  }
};

constexpr Column<LibraryRow> kLibraryColumns[] = {
    {"thread", ColumnType::number, "number of the thread",
     [](const LibraryRow& row) -> Cell { return row.access.thread; }, Forms::both,
     right("thread", 6)},
    {"statement", ColumnType::id, "the call",
     [](const LibraryRow& row) -> Cell { return statement_id(row.trace, row.access.call); },
     Forms::both, right("statement", 11)},
    {"time", ColumnType::number, "of the path that made the call",
     [](const LibraryRow& row) -> Cell { return row.access.time; }, Forms::both, right("time", 14)},
    {"callee", ColumnType::text, "the function it called",
     [](const LibraryRow& row) -> Cell { return row.callee(); }, Forms::both,
     left("callee", 16, 2)},
    {"kind", ColumnType::text, "copy, outside, computed, or read",
     [](const LibraryRow& row) -> Cell { return kind_name(row.access.kind); }, Forms::both,
     left("kind", 10)},
    for_people<LibraryRow>(right("bytes", 10),
                           [](const LibraryRow& row) {
                             return row.access.bytes ? fmt::to_string(*row.access.bytes)
                                                     : std::string("?");
                           }),
    {"address", ColumnType::address, "where it wrote, or read",
     [](const LibraryRow& row) -> Cell { return row.access.address; }, Forms::both,
     left("address", 0, 2),
     [](const LibraryRow& row) {
       return address_text(row.access.address, Format::human) +
              (row.access.source ? fmt::format(" from {:#x}", *row.access.source) : "");
     }},
    {"source", ColumnType::address, "of a copy: where it read",
     [](const LibraryRow& row) -> Cell { return row.access.source; }},
    {"bytes", ColumnType::count, "how many",
     [](const LibraryRow& row) -> Cell { return row.access.bytes; }},
};

}  // namespace

int write_library_rows(const Trace& trace, std::optional<uint32_t> thread, uint64_t most,
                       bool says_more, const Presentation& presentation) {
  index_for_query(trace, presentation);
  Output out;
  RowWriter<LibraryRow> rows(kLibraryColumns, {presentation.format()}, out);
  rows.begin();
  uint64_t given = 0, left_out = 0;
  const auto done = read_library_ranges(trace, thread, [&](const LibraryAccess& row) {
    if (given == most) {
      ++left_out;
      return says_more;
    }
    ++given;
    rows.row({trace, row});
    return true;
  });
  if (says_more && left_out > 0) out.more(more_text(left_out, "rows"));
  if (!done) {
    out.flush();
    return report_trace(done.error());
  }
  return kDone;
}

RowTable library_rows() { return describe("addresses T library", kLibraryColumns); }

}  // namespace vestige::cli
