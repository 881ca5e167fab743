#include "rows/variable_rows.h"

#include <cmath>

#include "rows/row_tables.h"
#include "short_names.h"
#include "trace_query.h"

namespace vestige::cli {

namespace {

// A row's value in words; what is known of it when nothing is.
std::string text_of(const VariableRow& row) {
  if (row.how == VariableRow::How::lost && row.value.kind == VariableValue::Kind::unknown)
    return "<optimized out>";
  return variable_text(row.value);
}

}  // namespace

std::string variable_kind(const SourceVariable& variable) {
  if (variable.global) return variable.scope.empty() ? "global" : "static";
  return variable.parameter ? "parameter" : "local";
}

std::string variable_text(const VariableValue& value) {
  if (value.kind != VariableValue::Kind::unknown) return value_text(value);
  return value.because.empty() ? "<unknown>" : "<unknown: " + value.because + ">";
}

std::string value_json(const VariableValue& value) {
  using Kind = VariableValue::Kind;
  const bool integer = value.kind == Kind::integer || value.kind == Kind::natural;
  if (integer && !value.text.empty()) return value.text;  // of more than 64 bits
  switch (value.kind) {
    case Kind::unknown:
    case Kind::opaque:
      return "null";
    case Kind::integer:
    case Kind::character:
    case Kind::named:
      return std::to_string(static_cast<int64_t>(value.bits));
    case Kind::natural:
    case Kind::address:
      return std::to_string(value.bits);
    case Kind::boolean:
      return value.bits == 0 ? "false" : value.bits == 1 ? "true" : std::to_string(value.bits);
    case Kind::number:
      // A long double may be finite and beyond what a double holds.
      if (std::isfinite(value.number) ||
          value.text.find_first_of("0123456789") != std::string::npos)
        return value.text;
      return std::isnan(value.number) ? "\"nan\"" : value.number > 0 ? "\"inf\"" : "\"-inf\"";
    case Kind::string:
      return json_string(value.text);
    case Kind::record:
    case Kind::array: {
      const bool record = value.kind == Kind::record;
      std::string text = record ? "{" : "[";
      for (size_t i = 0; i < value.parts.size(); ++i) {
        if (i) text += ',';
        if (record) text += json_string(value.parts[i].name) + ":";
        text += value_json(value.parts[i]);
      }
      return text + (record ? "}" : "]");
    }
  }
  return "null";
}

const char* how_name(VariableRow::How how) {
  switch (how) {
    case VariableRow::How::assigned:
      return "assigned";
    case VariableRow::How::seen:
      return "seen";
    case VariableRow::How::lost:
      return "optimized_out";
    case VariableRow::How::unknown:
      return "unknown";
  }
  return "unknown";
}

namespace {

constexpr Column<VariableChange> kChangeColumns[] = {
    {"thread", ColumnType::number, "number of the thread",
     [](const VariableChange& c) -> Cell { return c.row.thread; }},
    {"instance", ColumnType::number, "which change in the thread, from 1",
     [](const VariableChange& c) -> Cell { return c.row.instance; }},
    {"time", ColumnType::number, "of the path that made it",
     [](const VariableChange& c) -> Cell { return c.row.time; }},
    {"variable", ColumnType::text, "its name",
     [](const VariableChange& c) -> Cell { return std::string_view(c.variable().name); }},
    {"declared", ColumnType::number, "line of its declaration",
     [](const VariableChange& c) -> Cell { return c.variable().line; }},
    {"part", ColumnType::text, "which part of it",
     [](const VariableChange& c) -> Cell { return c.question.part + c.row.part; }},
    {"value", ColumnType::value, "the new value, by its type; null when it is not known",
     [](const VariableChange& c) { return Cell::json(value_json(c.row.value)); }},
    {"text", ColumnType::text, "the same as a debugger writes it",
     [](const VariableChange& c) -> Cell { return text_of(c.row); }},
    {"how", ColumnType::text, "assigned, seen, optimized_out or unknown",
     [](const VariableChange& c) -> Cell { return std::string_view(how_name(c.row.how)); }},
    {"file", ColumnType::text, "source file",
     [](const VariableChange& c) { return Cell::text_or_null(c.file()); }},
    {"line", ColumnType::number, "line, 0 when it is not known",
     [](const VariableChange& c) -> Cell { return c.row.line; }},
    {"function", ColumnType::text, "who made the change",
     [](const VariableChange& c) -> Cell { return demangle(c.function().name); }},
    {"id", ColumnType::id, "with which statement",
     [](const VariableChange& c) -> Cell {
       return statement_id(c.trace, {c.row.function, c.row.statement});
     }},
    {"before", ColumnType::boolean, "it held before that statement already",
     [](const VariableChange& c) -> Cell { return c.row.before; }},
    {"depth", ColumnType::number, "of a local: activations below its own",
     [](const VariableChange& c) {
       return c.variable().global ? Cell(nullptr) : Cell(c.row.depth);
     }},
    {"entered", ColumnType::number, "of a local: when its function was entered",
     [](const VariableChange& c) {
       return !c.variable().global && c.row.entered ? Cell(c.row.entered) : Cell(nullptr);
     }},
    {"unknown_because", ColumnType::text, "of a value that is not known: why",
     [](const VariableChange& c) {
       return Cell::text_or_null(std::string_view(c.row.value.because));
     },
     Forms::json},
};

}  // namespace

VariableRowWriter::VariableRowWriter(const Trace& trace, const VariableQuestion& question,
                                     Format format, Output& out)
    : trace_(trace),
      question_(question),
      format_(format),
      out_(out),
      rows_(kChangeColumns, {format}, out) {}

void VariableRowWriter::header() {
  if (format_ != Format::human) rows_.begin();
}

void VariableRowWriter::row(const VariableRow& row) {
  const VariableChange change{trace_, question_, row};
  if (format_ != Format::human) return rows_.row(change);
  row_for_people(row, change.variable().name + question_.part + row.part, change.file());
}

void VariableRowWriter::row_for_people(const VariableRow& row, const std::string& name,
                                       std::string_view file) {
  const SourceVariable& variable = question_.variables[row.variable];
  const Function& function = trace_.functions()[row.function];
  std::string place;
  if (row.line) place = fmt::format("{}:{}", file_name(file), row.line);
  out_.print("{:>10}  {:<24}  {} = {}", row.time, place, name, text_of(row));
  if (row.how == VariableRow::How::seen) out_.text("  (seen)");
  // Who did it, when that is not the function the variable was written in.
  if (demangle(function.name) != demangle(variable.scope))
    out_.print("  in {}", short_function(demangle(function.name)));
  if (!variable.global && row.entered) out_.print("  [call at {}]", row.entered);
  out_.put('\n');
  out_.row_done();
}

RowTable variable_change_rows() { return describe("variable", kChangeColumns); }

}  // namespace vestige::cli
