// vestige variable: the values a variable of the source had, and when; without a name, the
// variables.
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "output.h"
#include "report.h"
#include "rows/row_tables.h"
#include "rows/rows.h"
#include "rows/variable_rows.h"
#include "short_names.h"
#include "trace_query.h"
#include "variables_at.h"

namespace vestige::cli {

namespace {

// Paths that are read to tell people how many rows more there are.
constexpr uint64_t kCountedPaths = 1 << 24;

constexpr Column<SourceVariable> kVariableColumns[] = {
    {"name", ColumnType::text, "as in the source",
     [](const SourceVariable& v) -> Cell { return std::string_view(v.name); }, Forms::both,
     left("variable")},
    {"type", ColumnType::text, "as in the source",
     [](const SourceVariable& v) -> Cell { return std::string_view(v.type); }, Forms::both,
     left("type")},
    {"kind", ColumnType::text, "global, static, parameter or local",
     [](const SourceVariable& v) -> Cell { return variable_kind(v); }, Forms::both, left("kind"),
     [](const SourceVariable& v) {
       return variable_kind(v) + (v.followed ? "" : ", optimized out");
     }},
    {"function", ColumnType::text, "whose it is",
     [](const SourceVariable& v) { return Cell::text_or_null(demangle(v.scope)); }, Forms::both,
     left("function"), [](const SourceVariable& v) { return short_function(demangle(v.scope)); }},
    {"file", ColumnType::text, "where it is declared",
     [](const SourceVariable& v) { return Cell::text_or_null(std::string_view(v.file)); }},
    {"line", ColumnType::number, "line of its declaration",
     [](const SourceVariable& v) -> Cell { return v.line; }},
    for_people<SourceVariable>(
        left("declared"),
        [](const SourceVariable& v) { return fmt::format("{}:{}", file_name(v.file), v.line); }),
    {"followed", ColumnType::boolean, "false: it was optimized out",
     [](const SourceVariable& v) -> Cell { return v.followed; }},
};

int list_variables(const Trace& trace, const std::string& where, bool all, Format format,
                   bool color) {
  const std::vector<SourceVariable> variables = source_variables(trace, where);
  if (variables.empty() && !where.empty()) {
    report_error(
        fmt::format("{}: no function or file with variables is named \"{}\"", trace.file(), where));
    return kWrongUse;
  }
  if (variables.empty()) {
    report_error(
        fmt::format("{}: this trace has no variables; build the program with -g and record again",
                    trace.file()));
    return kBadTrace;
  }
  Output out;
  RowWriter<SourceVariable> rows(kVariableColumns, {format, color}, out);
  rows.begin();
  for (const SourceVariable& v : variables) {
    if (format == Format::human && !all && rows.rows() == kShortRows) break;
    rows.row(v);
  }
  rows.end();
  if (variables.size() > rows.rows())
    out.more(more_text(variables.size() - rows.rows(), "variables"));
  return kDone;
}

}  // namespace

int command_variable(Arguments arguments) {
  CommandLine line("variable",
                   "The value history of a source variable; without NAME, the variables there are.",
                   "vestige variable bzip2.vst zPend@generateMTFValues --count 10");
  std::string file, name, thread;
  uint64_t from = 1, count = 0;
  bool all = false;
  std::vector<std::string> executions;
  Presentation presentation;
  line.add_trace(file);
  CLI::App& app = line.app();
  app.add_option(
         "NAME", name,
         "NAME[@FUNCTION][:LINE], a part of it as point.x or table[3]; @FUNCTION alone lists "
         "the function's variables")
      ->type_name("");
  app.add_option("--thread", thread, "RANK.THREAD, or its number in vestige info; otherwise all")
      ->type_name("N");
  app.add_option("--from", from, "The first change, counted from 1 in each thread")->type_name("I");
  app.add_option("--at", executions,
                 "What the variables of the function, and of its file, were before that execution; "
                 "the last one unless told. May be given several times")
      ->type_name("STATEMENT[@INSTANCE]")
      ->expected(1)
      ->take_all();
  auto* count_option = app.add_option("--count", count, "At most this many rows")->type_name("N");
  app.add_flag("--all", all, "Every row")->excludes(count_option);
  line.add_presentation(presentation, true);
  if (const auto code = line.parse(arguments)) return *code;

  if (from == 0) {
    report_error("--from counts from 1; see vestige variable --help");
    return kWrongUse;
  }
  const Format format = presentation.format();
  const auto trace = open_trace(file);
  if (!trace) return kBadTrace;
  note_untold_values(*trace, presentation.quiet);
  if (!executions.empty()) return show_variables_at(*trace, executions, thread, name, format);
  if (name.empty() || name.starts_with('@'))
    return list_variables(*trace, name.empty() ? "" : name.substr(1), all, format,
                          wants_color(presentation.color));
  const auto question = find_variable(*trace, name);
  if (!question) return report_name(question.error());
  VariableOptions options;
  options.from = from;
  const bool counted = count_option->count() > 0;
  if (counted)
    options.count = count;
  else if (format == Format::human && !all)
    options.count = kShortRows;
  if (!thread.empty()) {
    const auto number = find_thread(*trace, thread);
    if (!number) return report_name(number.error());
    options.thread = *number;
  }
  auto history = VariableCursor::open(*trace, *question, options);
  if (!history) return report_name(history.error());

  Output out;
  VariableRowWriter rows(*trace, *question, format, out);
  rows.header();
  uint64_t shown = 0;
  while (const VariableRow* row = history->next()) {
    rows.row(*row);
    ++shown;
  }
  if (format == Format::human && !counted && shown == options.count) {
    const auto more = history->more(kCountedPaths);
    if (more.complete && more.rows) out.more(more_text(more.rows, more.rows == 1 ? "row" : "rows"));
    if (!more.complete)
      out.more(fmt::format("… more than {} more rows (use --all)\n", grouped(more.rows)));
  }
  if (history->error()) {
    out.flush();
    return report_trace(*history->error());
  }
  if (shown == 0 && from == 1 && !(counted && count == 0)) {
    const bool followed =
        std::ranges::any_of(question->variables, [](const auto& v) { return v.followed; });
    if (!presentation.quiet)
      report_note(followed ? fmt::format("no value of {} is known in this recording", name)
                           : fmt::format("{} was optimized out everywhere", name));
    return kNo;
  }
  return kDone;
}

RowTable variable_list_rows() { return describe("variable (without NAME)", kVariableColumns); }

}  // namespace vestige::cli
