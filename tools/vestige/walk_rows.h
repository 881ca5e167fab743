// Writes the rows of a walk, as JSON, CSV or for people. Names are turned into text once per
// function and file, not once per row.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "command_line.h"
#include "output.h"
#include "vestige/query.h"
#include "vestige/values.h"

namespace vestige::cli {

class WalkRowWriter {
 public:
  WalkRowWriter(const Trace& trace, WalkLevel level, Format format, bool color, Output& out)
      : trace_(trace),
        level_(level),
        format_(format),
        color_(color),
        out_(out),
        names_(trace.functions().size()) {}

  void header();
  void row(const WalkRow& row);

 private:
  struct Name {
    std::string plain, encoded;  // for people, shortened; as JSON string or CSV field
  };
  const Name& function_name(uint32_t function);
  const std::string& encoded_file(std::string_view file);
  std::string row_value(const WalkRow& row);
  void json_row(const WalkRow& row);
  void csv_row(const WalkRow& row);
  void human_row(const WalkRow& row);
  void block_list(const Path& path, std::string_view separator, bool quoted);

  const Trace& trace_;
  const WalkLevel level_;
  const Format format_;
  const bool color_;
  Output& out_;
  std::vector<Name> names_;                             // by function; filled on first use
  std::unordered_map<const char*, std::string> files_;  // by address: file names live in the trace
  std::unordered_map<uint64_t, ValueType> types_;       // by statement id
  std::unordered_map<uint64_t, std::vector<WideItem>> wide_;  // the same
  const char* last_file_ = nullptr;
  const std::string* last_encoded_ = nullptr;
};

}  // namespace vestige::cli
