// vestige statements: the statements of a function, with the ids that name them in other commands.
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "output.h"
#include "report.h"
#include "rows/row_tables.h"
#include "short_names.h"
#include "statement_text.h"
#include "trace_query.h"
#include "vestige/values.h"

namespace vestige::cli {
namespace {

// What the user asked for: nothing (everything), a function, or a statement in any of its
// spellings.
Result<std::vector<StatementRef>> select(const Trace& trace, const std::string& what) {
  std::vector<StatementRef> selected;
  const auto add_function = [&](uint32_t id) {
    for (uint32_t s = 0; s < trace.functions()[id].statements.size(); ++s)
      selected.push_back({id, s});
  };
  if (what.empty()) {
    for (uint32_t id = 0; id < trace.functions().size(); ++id) add_function(id);
    return selected;
  }
  for (const uint32_t id : find_functions(trace, what)) add_function(id);
  if (!selected.empty()) return selected;
  if (what.find_first_of("#:") != what.npos) return find_statements(trace, what);
  const auto functions = functions_named(trace, what);
  if (!functions) return std::unexpected(functions.error());
  for (const uint32_t id : *functions) add_function(id);
  return selected;
}

std::string inlined_json(const Function& f, uint32_t location) {
  std::string text;
  if (location >= f.locations.size()) return text;
  for (uint32_t at = location; f.locations[at].inlined_at < at;) {
    at = f.locations[at].inlined_at;
    const Location& site = f.locations[at];
    text += fmt::format(
        "{}{{\"file\":{},\"line\":{},\"column\":{},\"function\":{}}}", text.empty() ? "" : ",",
        site.file < f.files.size() ? json_string(f.files[site.file]) : "null", site.line,
        site.column,
        site.scope < f.scopes.size() ? json_string(demangle(f.scopes[site.scope])) : "null");
  }
  return text;
}

struct StatementRow {
  const Trace& trace;
  StatementRef ref;
  const Function& function;
  const Statement& statement;
  std::string_view name;    // of the function
  std::string_view origin;  // of its value
  uint64_t executions;

  uint32_t index() const {
    return ref.statement - function.blocks[statement.block].first_statement;
  }
  const Location* location() const {
    return statement.location < function.locations.size() ? &function.locations[statement.location]
                                                          : nullptr;
  }
  std::string_view file() const {
    const Location* at = location();
    return at && at->file < function.files.size() ? std::string_view(function.files[at->file]) : "";
  }
  std::string callee() const {
    return statement.callee < function.symbols.size() ? demangle(function.symbols[statement.callee])
                                                      : "";
  }
};

constexpr Column<StatementRow> kStatementColumns[] = {
    {"id", ColumnType::id, "number of the statement in the trace, which #ID means elsewhere",
     [](const StatementRow& row) -> Cell { return statement_id(row.trace, row.ref); }, Forms::both,
     right("id")},
    {"function", ColumnType::text, "name of its function",
     [](const StatementRow& row) -> Cell { return row.name; }},
    {"function_id", ColumnType::id, "number of its function",
     [](const StatementRow& row) -> Cell { return row.ref.function; }, Forms::json},
    {"block", ColumnType::text, "the block it is in",
     [](const StatementRow& row) { return Cell::block(row.statement.block); }},
    {"index", ColumnType::number, "its place in the block, from 0",
     [](const StatementRow& row) -> Cell { return row.index(); }},
    for_people<StatementRow>(left("statement"),
                             [](const StatementRow& row) {
                               return fmt::format("{}:{}.{}", short_function(row.name),
                                                  block_name(row.statement.block), row.index());
                             }),
    for_people<StatementRow>(right("executions"),
                             [](const StatementRow& row) { return grouped(row.executions); }),
    {"op", ColumnType::text, "operation",
     [](const StatementRow& row) -> Cell { return std::string_view(op_name(row.statement.op)); }},
    {"type", ColumnType::text, "type of its value, as LLVM writes it",
     [](const StatementRow& row) -> Cell {
       const auto& types = row.function.types;
       return row.statement.type < types.size() ? std::string_view(types[row.statement.type]) : "";
     }},
    {"file", ColumnType::text, "source file",
     [](const StatementRow& row) { return Cell::text_or_null(row.file()); }},
    {"line", ColumnType::number, "line, 0 when it is not known",
     [](const StatementRow& row) -> Cell {
       const Location* at = row.location();
       return at ? at->line : 0u;
     }},
    {"column", ColumnType::number, "column, 0 when it is not known",
     [](const StatementRow& row) -> Cell {
       const Location* at = row.location();
       return at ? at->column : 0u;
     }},
    for_people<StatementRow>(
        left("place"),
        [](const StatementRow& row) { return short_place(row.function, row.statement.location); }),
    {"inlined_at", ColumnType::object, "calls it was inlined through, the innermost first",
     [](const StatementRow& row) {
       return Cell::json('[' + inlined_json(row.function, row.statement.location) + ']');
     },
     Forms::json},
    {"callee", ColumnType::text, "what it calls, where the program says so",
     [](const StatementRow& row) { return Cell::text_or_null(row.callee()); }},
    {"pseudo", ColumnType::boolean, "it does nothing when the program runs",
     [](const StatementRow& row) -> Cell { return row.statement.pseudo; }},
    {"source", ColumnType::text, "where the evaluation has its value from",
     [](const StatementRow& row) { return Cell::text_or_null(row.origin); }, Forms::json},
    {"text", ColumnType::text, "the statement in words",
     [](const StatementRow& row) -> Cell {
       return statement_text(row.function, row.ref.statement);
     },
     Forms::both, left("what")},
    {"executions", ColumnType::count, "with --counts: how often it ran",
     [](const StatementRow& row) -> Cell { return row.executions; }},
};

}  // namespace

int command_statements(Arguments arguments) {
  CommandLine line(
      "statements",
      "The statements of a function, or those at a source line, with the ids that name them.",
      "vestige statements bzip2.vst compress.c:120 --counts");
  Listing listing;
  add_listing(line, listing, "WHAT",
              "A function, #ID, FUNCTION:BLOCK.INDEX or FILE:LINE[:COLUMN]; all without it");
  if (const auto code = line.parse(arguments)) return *code;
  const auto trace = open_trace(listing.file);
  if (!trace) return kBadTrace;
  const auto selected = select(*trace, listing.what);
  if (!selected) return report_name(selected.error());
  const auto profile = listing.profile(*trace);
  if (!profile) return report_trace(profile.error());

  Output out;
  RowWriter<StatementRow> rows(kStatementColumns, listing.style("executions"), out);
  rows.begin();
  std::string function_name;
  uint32_t function_named = kNone;
  std::vector<std::string_view> sources;  // of its values
  for (const StatementRef& ref : *selected) {
    if (!listing.shows(rows.rows() + 1)) break;
    const Function& f = trace->functions()[ref.function];
    if (function_named != ref.function) {
      function_name = demangle(f.name);
      function_named = ref.function;
      if (listing.presentation.json) sources = value_sources(f);
    }
    rows.row({*trace, ref, f, f.statements[ref.statement], function_name,
              sources.empty() ? "" : sources[ref.statement],
              listing.counts ? (*profile)[ref.function].statements[ref.statement] : 0});
  }
  rows.end();
  listing.say_more(out, selected->size(), rows.rows(), "statements");
  return kDone;
}

RowTable statement_rows() { return describe("statements", kStatementColumns); }

}  // namespace vestige::cli
