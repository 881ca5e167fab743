// Writes the rows of a walk, as JSON, CSV or for people. Names are turned into text once per
// function and file, not once per row.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "command_line.h"
#include "output.h"
#include "rows/rows.h"
#include "vestige/query.h"
#include "vestige/values.h"

namespace vestige::cli {

class WalkRowWriter {
 public:
  WalkRowWriter(const Trace& trace, WalkLevel level, Format format, bool color, Output& out);

  void header();
  void row(const WalkRow& row);

  // A row, and what belongs to its function and statement.
  struct Step {
    const Trace& trace;
    const WalkRow& row;
    std::string_view function;
    ValueType type;
    const std::vector<WideItem>* items;  // of a wide value
  };

 private:
  struct Name {
    std::string whole, plain;  // plain: for people, shortened
  };
  struct Outcome {
    ValueType type;
    const std::vector<WideItem>* items = nullptr;
  };
  static RowStyle style(WalkLevel level, Format format);
  const Name& function_name(uint32_t function);
  Outcome result_of(const WalkRow& row);
  void human_row(const WalkRow& row);

  const Trace& trace_;
  const Format format_;
  const bool color_;
  Output& out_;
  RowWriter<Step> rows_;
  std::vector<Name> names_;                                   // by function; filled on first use
  std::unordered_map<uint64_t, ValueType> types_;             // by statement id
  std::unordered_map<uint64_t, std::vector<WideItem>> wide_;  // the same
};

}  // namespace vestige::cli
