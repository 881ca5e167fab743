#include "variables_at.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "commands.h"
#include "report.h"
#include "rows/row_tables.h"
#include "rows/rows.h"
#include "rows/variable_rows.h"
#include "short_names.h"
#include "trace_query.h"

namespace vestige::cli {

namespace {

Result<ExecutionQuestion> parse_execution(const Trace& trace, const std::string& text,
                                          const std::string& thread) {
  ExecutionQuestion question;
  const size_t at = text.rfind('@');
  if (at != std::string::npos) {
    question.instance = parse_number(std::string_view(text).substr(at + 1));
    if (question.instance.value_or(0) == 0)
      return fail(ErrorKind::usage, "an instance is a number from 1, as in #12@3: " + text);
  }
  const auto found = find_statements(trace, text.substr(0, at));
  if (!found) return std::unexpected(found.error());
  const auto elsewhere = [&](const StatementRef& one) {
    return one.function != found->front().function;
  };
  // Of one function a line means its first statement; otherwise the candidates are listed.
  if (std::ranges::any_of(*found, elsewhere)) {
    const auto one = find_statement(trace, text.substr(0, at));
    if (!one) return std::unexpected(one.error());
  }
  question.function = found->front().function;
  question.statement = found->front().statement;
  for (const StatementRef& one : *found)
    question.statement = std::min(question.statement, one.statement);
  if (thread.empty()) return question;
  const auto chosen = find_thread(trace, thread);
  if (!chosen) return std::unexpected(chosen.error());
  question.thread = *chosen;
  return question;
}

constexpr std::string_view kNotShown = "there is more than is shown: ask for a part by its name";

// Parts that are not known or not shown, with the reasons.
void add_reasons(const VariableValue& value, const std::string& part, std::string& json) {
  if (value.kind == VariableValue::Kind::unknown)
    json += (json.empty() ? "" : ",") + json_string(part) + ":" + json_string(value.because);
  for (size_t i = 0; i < value.parts.size(); ++i) {
    const VariableValue& inner = value.parts[i];
    const bool record = value.kind == VariableValue::Kind::record;
    add_reasons(inner, part + (record ? "." + inner.name : fmt::format("[{}]", i)), json);
  }
  if (value.cut)
    json += (json.empty() ? "" : ",") + json_string(part + "…") + ":" + json_string(kNotShown);
}

// By reason, how many parts are not known for it.
void count_reasons(const VariableValue& value, std::map<std::string, uint64_t>& counts) {
  if (value.kind == VariableValue::Kind::unknown) ++counts[value.because];
  for (const VariableValue& part : value.parts) count_reasons(part, counts);
}

void print_reasons(const VariableValue& value, Output& out) {
  std::map<std::string, uint64_t> counts;
  count_reasons(value, counts);
  for (const auto& [because, parts] : counts)
    out.print("{:<10} unknown{}: {}\n", "",
              parts == 1 ? std::string() : fmt::format(" in {} parts", grouped(parts)), because);
}

struct VariableAtRow {
  const std::string& at;  // as it was asked for
  const VariablesAt& here;
  uint64_t id;
  const VariablesAt::Known& known;
  const std::string& part;  // of the variable, that was asked for
};

constexpr Column<VariableAtRow> kVariableAtColumns[] = {
    {"at", ColumnType::text, "the execution as it was asked for",
     [](const VariableAtRow& row) -> Cell { return std::string_view(row.at); }, Forms::json},
    {"thread", ColumnType::number, "number of the thread",
     [](const VariableAtRow& row) -> Cell { return row.here.at.thread; }},
    {"instance", ColumnType::number, "which execution of the statement",
     [](const VariableAtRow& row) -> Cell { return row.here.at.instance; }},
    {"time", ColumnType::number, "of the path that executed it",
     [](const VariableAtRow& row) -> Cell { return row.here.at.time; }},
    {"id", ColumnType::id, "the statement",
     [](const VariableAtRow& row) -> Cell { return row.id; }},
    {"depth", ColumnType::number, "activations below its own",
     [](const VariableAtRow& row) -> Cell { return row.here.depth; }},
    {"entered", ColumnType::number, "when its function was entered",
     [](const VariableAtRow& row) {
       return row.here.entered ? Cell(row.here.entered) : Cell(nullptr);
     },
     Forms::json},
    {"variable", ColumnType::text, "its name",
     [](const VariableAtRow& row) -> Cell { return row.known.variable.name + row.part; }},
    {"declared", ColumnType::number, "line of its declaration",
     [](const VariableAtRow& row) -> Cell { return row.known.variable.line; }},
    {"type", ColumnType::text, "as in the source",
     [](const VariableAtRow& row) -> Cell { return std::string_view(row.known.variable.type); },
     Forms::json},
    {"kind", ColumnType::text, "global, static, parameter or local",
     [](const VariableAtRow& row) -> Cell { return variable_kind(row.known.variable); }},
    {"value", ColumnType::value, "by its type; null when it is not known",
     [](const VariableAtRow& row) { return Cell::json(value_json(row.known.value)); }},
    {"text", ColumnType::text, "the same as a debugger writes it",
     [](const VariableAtRow& row) -> Cell { return variable_text(row.known.value); }},
    {"unknown_because", ColumnType::object, "parts that are not known or not shown, and why",
     [](const VariableAtRow& row) {
       std::string reasons;
       add_reasons(row.known.value, "", reasons);
       return reasons.empty() ? Cell(nullptr) : Cell::json('{' + reasons + '}');
     },
     Forms::json},
};

}  // namespace

int show_variables_at(const Trace& trace, const std::vector<std::string>& executions,
                      const std::string& thread, const std::string& name, Format format) {
  std::vector<ExecutionQuestion> questions;
  for (const std::string& text : executions) {
    const auto question = parse_execution(trace, text, thread);
    if (!question) return report_name(question.error());
    questions.push_back(*question);
  }
  const auto found = find_executions(trace, questions);
  if (!found) return report_name(found.error());
  const auto all = variables_at(trace, *found, name);
  if (!all) return report_name(all.error());
  // The part that was asked for, behind a variable's name.
  const std::string whole = name.substr(0, name.find('@'));
  const std::string part = whole.substr(std::min(whole.find_first_of(".["), whole.size()));
  Output out;
  RowWriter<VariableAtRow> rows(kVariableAtColumns, {format}, out);
  if (format != Format::human) rows.begin();
  uint64_t known = 0;
  for (size_t i = 0; i < all->size(); ++i) {
    const VariablesAt& here = (*all)[i];
    const uint64_t id = statement_id(trace, {here.at.function, here.at.statement});
    if (format == Format::human)
      out.print("{}at {}, time {}:\n", i ? "\n" : "", fmt::format("#{}@{}", id, here.at.instance),
                here.at.time);
    for (const VariablesAt::Known& one : here.variables) {
      ++known;
      if (format != Format::human) {
        rows.row({executions[i], here, id, one, part});
      } else {
        out.print("{:<10} {} = {}\n", variable_kind(one.variable), one.variable.name + part,
                  variable_text(one.value));
        print_reasons(one.value, out);
        out.row_done();
      }
    }
    if (here.variables.empty() && format == Format::human && !name.empty())
      out.print("no variable {} there\n", name);
  }
  return known ? kDone : kNo;
}

RowTable variable_at_rows() { return describe("variable --at", kVariableAtColumns); }

}  // namespace vestige::cli
