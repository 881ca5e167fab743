// How a variable's changes are written, for people and for programs.
#pragma once

#include <string>

#include "command_line.h"
#include "output.h"
#include "rows/rows.h"
#include "vestige/variables.h"

namespace vestige::cli {

// The value as JSON: a number, boolean, string, object or list; null for what is not known.
std::string value_json(const VariableValue& value);
// "local", "parameter", "global" or "static".
std::string variable_kind(const SourceVariable& variable);
// In words; of what is not known the reason.
std::string variable_text(const VariableValue& value);
// One word for JSON and for people.
const char* how_name(VariableRow::How how);

// One change, and what its row looks up.
struct VariableChange {
  const Trace& trace;
  const VariableQuestion& question;
  const VariableRow& row;

  const SourceVariable& variable() const { return question.variables[row.variable]; }
  const Function& function() const { return trace.functions()[row.function]; }
  std::string_view file() const {
    const uint32_t file = row.location == kNone ? kNone : function().locations[row.location].file;
    return file == kNone ? std::string_view() : std::string_view(function().files[file]);
  }
};

class VariableRowWriter {
 public:
  VariableRowWriter(const Trace& trace, const VariableQuestion& question, Format format,
                    Output& out);
  void header();
  void row(const VariableRow& row);

 private:
  void row_for_people(const VariableRow& row, const std::string& name, std::string_view file);
  const Trace& trace_;
  const VariableQuestion& question_;
  Format format_;
  Output& out_;
  RowWriter<VariableChange> rows_;
};

}  // namespace vestige::cli
