#include "history_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "indexing.h"
#include "output.h"
#include "report.h"
#include "rows/row_tables.h"
#include "rows/rows.h"
#include "short_names.h"
#include "statement_text.h"
#include "trace_query.h"
#include "value_text.h"

namespace vestige::cli {
namespace {

// How many rows there are, of the threads that have any.
Result<uint64_t> count_rows(const Trace& trace, const HistoryOptions& options) {
  uint64_t rows = 0;
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    if (options.thread && *options.thread != thread) continue;
    const auto has = has_values(trace, thread);
    if (!has) return std::unexpected(has.error());
    if (!*has) continue;
    const auto profile = trace.profile(thread);
    if (!profile) return std::unexpected(profile.error());
    for (const StatementRef& ref : options.statements) {
      const uint64_t ran = (*profile)[ref.function].statements[ref.statement];
      rows += ran >= options.from ? ran - options.from + 1 : 0;
    }
  }
  return rows;
}

// A row, and what belongs to its statement.
struct ValueRow {
  const HistoryRow& row;
  uint64_t id;
  ValueType type;
  const std::vector<WideItem>* items;  // of a wide value
};

constexpr Column<ValueRow> kValueColumns[] = {
    {"thread", ColumnType::number, "number of the thread",
     [](const ValueRow& row) -> Cell { return row.row.thread; }, Forms::both, right("thread", 6)},
    {"statement", ColumnType::id, "of many statements: which",
     [](const ValueRow& row) -> Cell { return row.id; }, Forms::both, right("statement", 11)},
    {"instance", ColumnType::number, "its executions in the thread, from 1",
     [](const ValueRow& row) -> Cell { return row.row.instance; }, Forms::both,
     right("instance", 12)},
    {"time", ColumnType::number, "of the path that executed it",
     [](const ValueRow& row) -> Cell { return row.row.time; }, Forms::both, right("time", 14)},
    {"value", ColumnType::value, "what it computed, loaded or stored",
     [](const ValueRow& row) {
       return row.items ? Cell::wide(*row.items, row.row.wide)
                        : Cell::value(row.type, row.row.value);
     },
     Forms::both, left("value", 0, 2)},
    {"address", ColumnType::address, "where it loaded or stored",
     [](const ValueRow& row) -> Cell { return row.row.address; }, Forms::both,
     left("address", 0, 2),
     [](const ValueRow& row) {
       return address_text(row.row.address, Format::human) +
              (row.row.source ? fmt::format(" from {:#x}", *row.row.source) : "");
     }},
    {"source", ColumnType::address, "of a copy: where it read",
     [](const ValueRow& row) { return row.row.source ? Cell(*row.row.source) : Cell(); },
     Forms::json},
};

// Writes rows as they come.
class HistoryRowWriter {
 public:
  HistoryRowWriter(const Trace& trace, bool addresses, bool one, Format format, Output& out)
      : trace_(trace),
        addresses_(addresses),
        one_(one),
        format_(format),
        out_(out),
        rows_(kValueColumns, style(addresses, one, format), out) {}

  void header(StatementRef first, size_t statements) {
    if (format_ == Format::human && one_)
      out_.print("{}\n", statement_headline(trace_, first));
    else if (format_ == Format::human)
      out_.print("{} statements\n", grouped(statements));
    rows_.begin();
  }

  void row(const HistoryRow& row) {
    const Function& function = trace_.functions()[row.statement.function];
    const uint64_t id = statement_id(trace_, row.statement);
    if (addresses_) return rows_.row({row, id, {}, nullptr});
    if (row.wide) return rows_.row({row, id, {}, &wide(function, row.statement, id)});
    rows_.row({row, id, type_of(function, row.statement, id), nullptr});
  }

 private:
  static RowStyle style(bool addresses, bool one, Format format) {
    RowStyle style{format};
    if (addresses)
      style.without = {"value"};
    else
      style.without = {"address", "source"};
    // CSV has the same columns whatever was asked for.
    if (one && format != Format::csv) style.without.push_back("statement");
    return style;
  }

  ValueType type_of(const Function& function, StatementRef statement, uint64_t id) {
    if (statement != typed_) {
      typed_ = statement;
      const auto [at, fresh] = types_.try_emplace(id);
      if (fresh) at->second = value_type(function, statement.statement);
      type_ = at->second;
    }
    return type_;
  }

  const std::vector<WideItem>& wide(const Function& function, StatementRef statement, uint64_t id) {
    const auto [at, fresh] = wide_.try_emplace(id);
    if (fresh) at->second = wide_items(function, statement.statement);
    return at->second;
  }

  const Trace& trace_;
  const bool addresses_, one_;
  const Format format_;
  Output& out_;
  RowWriter<ValueRow> rows_;
  StatementRef typed_{kNone, kNone};
  ValueType type_;
  std::unordered_map<uint64_t, ValueType> types_;             // by #ID
  std::unordered_map<uint64_t, std::vector<WideItem>> wide_;  // the same, of wide values
};

constexpr Column<ValueCount> kTopColumns[] = {
    {"value", ColumnType::value, "what the statement computed",
     [](const ValueCount& row) { return Cell::value(row.type, row.value); }, Forms::both,
     right("value")},
    {"address", ColumnType::address, "where it loaded or stored",
     [](const ValueCount& row) { return Cell::value(row.type, row.value); }, Forms::both,
     right("address")},
    {"count", ColumnType::count, "how often",
     [](const ValueCount& row) -> Cell { return row.count; }, Forms::both, right("count")},
};

}  // namespace

std::string statement_headline(const Trace& trace, StatementRef statement) {
  const Function& function = trace.functions()[statement.function];
  const std::string place =
      short_place(function, function.statements[statement.statement].location);
  return fmt::format("#{}  {}  {}{}", statement_id(trace, statement),
                     statement_name(trace, statement),
                     statement_text(function, statement.statement),
                     place.empty() ? "" : fmt::format("  ({})", place));
}

void HistoryQuery::add_to(CommandLine& line) {
  line.add_trace(file);
  CLI::App& app = line.app();
  app.add_option("STATEMENT", what,
                 addresses ? "#ID, FUNCTION:BLOCK.INDEX, FILE:LINE[:COLUMN], loads, library, or all"
                           : "#ID, FUNCTION:BLOCK.INDEX, FILE:LINE[:COLUMN], loads, or all")
      ->required()
      ->type_name("");
  app.add_option("--thread", thread, "RANK.THREAD, or its number in vestige info; all without it")
      ->type_name("N");
  from_option =
      app.add_option("--from", from, "The first instance; they count from 1")->type_name("I");
  count_option = app.add_option("--count", count, "At most this many rows")->type_name("N");
  auto* all_option = app.add_flag("--all", all, "Every row")->excludes(count_option);
  top_option = app.add_option("--top", top,
                              addresses ? "The N most frequent addresses, with counts"
                                        : "The N most frequent values, with counts")
                   ->excludes(from_option)
                   ->excludes(count_option)
                   ->excludes(all_option)
                   ->type_name("N");
  line.add_presentation(presentation, true);
}

std::optional<HistoryQuery::Chosen> HistoryQuery::choose(const Trace& trace, int& exit_code) const {
  Chosen chosen;
  if (from == 0 || (top_option->count() > 0 && top == 0)) {
    report_error(from == 0 ? "--from 0: instances count from 1" : "--top 0: nothing is asked for");
    exit_code = kWrongUse;
    return std::nullopt;
  }
  if (!thread.empty()) {
    const auto found = find_thread(trace, thread);
    if (!found) {
      exit_code = report_name(found.error());
      return std::nullopt;
    }
    chosen.thread = *found;
  }
  if (addresses && what == "library") {
    chosen.statements = all_library_calls(trace);
  } else if (what == "loads") {
    chosen.statements = all_loads(trace);
  } else if (what == "all") {
    chosen.statements = addresses ? all_addresses(trace) : all_values(trace);
  } else {
    auto found = find_statement(trace, what, addresses ? has_address : has_value,
                                addresses ? "an address" : "a value");
    if (!found && addresses)
      if (const auto call = find_statement(trace, what, has_library_ranges, "library ranges"))
        found = call;
    if (!found) {
      exit_code = report_name(found.error());
      return std::nullopt;
    }
    chosen.statements = {*found};
    chosen.one = true;
  }
  return chosen;
}

int HistoryQuery::run(const Trace& trace, const Chosen& chosen) const {
  index_for_query(trace, presentation);
  return top ? run_top(trace, chosen) : run_rows(trace, chosen);
}

int HistoryQuery::run_rows(const Trace& trace, const Chosen& chosen) const {
  const Format format = presentation.format();
  HistoryOptions options;
  options.statements = chosen.statements;
  options.thread = chosen.thread;
  options.from = from;
  const bool counted = count_option->count() > 0;
  if (counted)
    options.count = count;
  else if (format == Format::human && !all)
    options.count = kShortRows;
  auto history = HistoryCursor::open(trace, options);
  if (!history) return report_trace(history.error());
  Output out;
  HistoryRowWriter rows(trace, addresses, chosen.one, format, out);
  rows.header(chosen.statements.empty() ? StatementRef{} : chosen.statements.front(),
              chosen.statements.size());
  uint64_t given = 0;
  while (const HistoryRow* row = history->next()) {
    ++given;
    rows.row(*row);
  }
  if (history->error()) {
    out.flush();
    return report_trace(*history->error());
  }
  if (format == Format::human && !counted && history->more()) {
    const auto rows_in_all = count_rows(trace, options);
    if (!rows_in_all) return report_trace(rows_in_all.error());
    out.more(more_text(*rows_in_all - std::min(*rows_in_all, given), "rows"));
  }
  return kDone;
}

int HistoryQuery::run_top(const Trace& trace, const Chosen& chosen) const {
  const auto counted = top_values(trace, chosen.statements, chosen.thread, top, addresses);
  if (!counted) return report_trace(counted.error());
  Output out;
  RowStyle style = style_of(presentation);
  style.without = {addresses ? "value" : "address"};
  RowWriter<ValueCount> rows(kTopColumns, std::move(style), out);
  if (presentation.format() == Format::human && chosen.one)
    out.print("{}\n", statement_headline(trace, chosen.statements.front()));
  rows.begin();
  for (const ValueCount& row : *counted) rows.row(row);
  rows.end();
  return kDone;
}

RowTable value_rows() { return describe("values, addresses", kValueColumns); }
RowTable top_rows() { return describe("values, addresses --top", kTopColumns); }

}  // namespace vestige::cli
