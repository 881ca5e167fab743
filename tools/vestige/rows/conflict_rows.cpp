#include "rows/conflict_rows.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "output.h"
#include "report.h"
#include "row_tables.h"
#include "rows.h"
#include "short_names.h"
#include "trace_query.h"
#include "vestige/order.h"

namespace vestige::cli {

namespace {

// One end of an edge, in the program. Of a whole path (OrderedAccess::kWholePath), or where the
// trace has no paths, the statement is not there.
struct ConflictEnd {
  OrderedAccess access;
  const Function* function = nullptr;
  const Statement* statement = nullptr;

  const Location* location() const {
    return statement && statement->location != kNone ? &function->locations[statement->location]
                                                     : nullptr;
  }
};

// Paths at given times, found by going down the grammar where there is one.
class Ends {
 public:
  explicit Ends(const Trace& trace) : trace_(trace), cursors_(trace.threads().size()) {}
  ConflictEnd of(const OrderedAccess& access) {
    ConflictEnd end{access};
    auto& cursor = cursors_[access.thread];
    if (!cursor) {
      auto walk = trace_.walk(access.thread);
      if (!walk) return end;
      cursor = std::make_unique<PathCursor>(std::move(*walk));
    }
    if (access.statement == OrderedAccess::kWholePath || !cursor->seek(access.time)) return end;
    const Function& function = trace_.functions()[cursor->path().function];
    if (access.statement >= function.statements.size()) return end;
    end.function = &function;
    end.statement = &function.statements[access.statement];
    return end;
  }

 private:
  const Trace& trace_;
  std::vector<std::unique_ptr<PathCursor>> cursors_;
};

struct ConflictRow {
  const Trace& trace;
  uint64_t number;
  ConflictEnd before, after;
};

Cell statement_of(const ConflictEnd& end) {
  if (!end.statement) return Cell(nullptr);
  return uint64_t{end.function->first_statement} + end.access.statement;
}
Cell file_of(const ConflictEnd& end) {
  const Location* at = end.location();
  return at && at->file != kNone
             ? Cell::text_or_null(std::string_view(end.function->files[at->file]))
             : Cell(nullptr);
}
Cell line_of(const ConflictEnd& end) { return end.location() ? end.location()->line : 0u; }
std::string place_of(const ConflictEnd& end) {
  if (!end.statement) return "the whole path";
  std::string text = short_function(demangle(end.function->name));
  if (end.location()) text += " " + short_place(*end.function, end.statement->location);
  return text;
}

constexpr Column<ConflictRow> kConflictColumns[] = {
    {"thread", ColumnType::number, "number of the thread of the later access",
     [](const ConflictRow& row) -> Cell { return row.after.access.thread; }, Forms::both,
     right("thread", 8),
     [](const ConflictRow& row) { return thread_name(row.trace, row.after.access.thread); }},
    {"number", ColumnType::number, "its place among those that lead to the thread, from 1",
     [](const ConflictRow& row) -> Cell { return row.number; }},
    {"time", ColumnType::number, "of the path of the later access",
     [](const ConflictRow& row) -> Cell { return row.after.access.time; }, Forms::both,
     right("time", 12)},
    {"statement", ColumnType::id, "the later access; null: all of the path",
     [](const ConflictRow& row) { return statement_of(row.after); }},
    {"file", ColumnType::text, "where it is in the source",
     [](const ConflictRow& row) { return file_of(row.after); }},
    {"line", ColumnType::number, "line, 0 when it is not known",
     [](const ConflictRow& row) { return line_of(row.after); }},
    for_people<ConflictRow>(left("access", 28, 2),
                            [](const ConflictRow& row) { return place_of(row.after); }),
    {"before_thread", ColumnType::number, "number of the thread of the earlier access",
     [](const ConflictRow& row) -> Cell { return row.before.access.thread; }, Forms::both,
     right("behind", 8),
     [](const ConflictRow& row) { return thread_name(row.trace, row.before.access.thread); }},
    {"before_time", ColumnType::number, "of the path of the earlier access",
     [](const ConflictRow& row) -> Cell { return row.before.access.time; }, Forms::both,
     right("time", 12)},
    {"before_statement", ColumnType::id, "the earlier access; null: all of the path",
     [](const ConflictRow& row) { return statement_of(row.before); }},
    {"before_file", ColumnType::text, "where it is in the source",
     [](const ConflictRow& row) { return file_of(row.before); }},
    {"before_line", ColumnType::number, "line, 0 when it is not known",
     [](const ConflictRow& row) { return line_of(row.before); }},
    for_people<ConflictRow>(left("access", 0, 2),
                            [](const ConflictRow& row) { return place_of(row.before); }),
};

}  // namespace

int write_conflicts(const Trace& trace, std::optional<uint32_t> thread, uint64_t most,
                    const Presentation& presentation) {
  if (!has_order(trace)) {
    report_error(trace.file() +
                 ": this was not recorded with --order, so it does not know the order of accesses; "
                 "record it again with vestige record --order");
    return kWrongUse;
  }
  Output out;
  RowWriter<ConflictRow> rows(kConflictColumns, style_of(presentation), out);
  rows.begin();
  Ends ends(trace);
  uint64_t left_out = 0;
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    if (thread && *thread != t) continue;
    auto edges = OrderCursor::open(trace, t);
    if (!edges) return report_trace(edges.error());
    for (uint64_t number = 1; edges->next(); ++number) {
      if (rows.rows() == most) {
        ++left_out;
        continue;
      }
      rows.row({trace, number, ends.of(edges->edge().before), ends.of(edges->edge().after)});
    }
    if (edges->error()) {
      out.flush();
      return report_trace(*edges->error());
    }
  }
  rows.end();
  if (left_out > 0 && presentation.format() == Format::human)
    out.more(more_text(left_out, "orders of accesses"));
  if (rows.rows() == 0 && !presentation.quiet && presentation.format() == Format::human)
    report_note(
        "nothing to show: synchronization (vestige sync) and memory that changed hands "
        "order all accesses that conflict");
  return rows.rows() > 0 ? kDone : kNo;
}

RowTable conflict_rows() { return describe("sync --conflicts", kConflictColumns); }

}  // namespace vestige::cli
