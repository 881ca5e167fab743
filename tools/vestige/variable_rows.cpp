#include "variable_rows.h"

#include <cmath>

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

void VariableRowWriter::header() {
  if (format_ == Format::csv)
    out_.text(
        "thread,instance,time,variable,declared,part,value,text,how,file,line,function,id,before,"
        "depth,entered\n");
}

void VariableRowWriter::row(const VariableRow& row) {
  const SourceVariable& variable = question_.variables[row.variable];
  const std::string name = variable.name + question_.part + row.part;
  const Function& function = trace_.functions()[row.function];
  const uint32_t file_index = row.location == kNone ? kNone : function.locations[row.location].file;
  const std::string_view file =
      file_index == kNone ? std::string_view() : std::string_view(function.files[file_index]);
  const uint64_t id = statement_id(trace_, {row.function, row.statement});
  const bool local = !variable.global;
  if (format_ == Format::json) {
    out_.print(
        "{{\"thread\":{},\"instance\":{},\"time\":{},\"variable\":{},\"declared\":{},\"part\":{},"
        "\"value\":{},\"text\":{},\"how\":\"{}\",\"file\":{},\"line\":{},\"function\":{},"
        "\"id\":{},\"before\":{},\"depth\":{},\"entered\":{},\"unknown_because\":{}}}\n",
        row.thread, row.instance, row.time, json_string(variable.name), variable.line,
        json_string(question_.part + row.part), value_json(row.value), json_string(text_of(row)),
        how_name(row.how), file.empty() ? "null" : json_string(file), row.line,
        json_string(demangle(function.name)), id, row.before,
        local ? std::to_string(row.depth) : "null",
        local && row.entered ? std::to_string(row.entered) : "null",
        row.value.because.empty() ? "null" : json_string(row.value.because));
    return;
  }
  if (format_ == Format::csv) {
    out_.print("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", row.thread, row.instance,
               row.time, csv_field(variable.name), variable.line,
               csv_field(question_.part + row.part), csv_field(value_json(row.value)),
               csv_field(text_of(row)), how_name(row.how), csv_field(file), row.line,
               csv_field(demangle(function.name)), id, row.before,
               local ? std::to_string(row.depth) : "",
               local && row.entered ? std::to_string(row.entered) : "");
    return;
  }
  row_for_people(row, name, file);
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

}  // namespace vestige::cli
