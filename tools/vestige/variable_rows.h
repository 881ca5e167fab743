// How a variable's changes are written, for people and for programs.
#pragma once

#include <string>

#include "command_line.h"
#include "output.h"
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

class VariableRowWriter {
 public:
  VariableRowWriter(const Trace& trace, const VariableQuestion& question, Format format,
                    Output& out)
      : trace_(trace), question_(question), format_(format), out_(out) {}
  void header();
  void row(const VariableRow& row);

 private:
  void row_for_people(const VariableRow& row, const std::string& name, std::string_view file);
  const Trace& trace_;
  const VariableQuestion& question_;
  Format format_;
  Output& out_;
};

}  // namespace vestige::cli
