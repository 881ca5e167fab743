// Executions that wrote or read memory, one row each: what `writers` and `readers` print.
#pragma once

#include "command_line.h"
#include "vestige/slice.h"

namespace vestige::cli {

// The rows of `member_json` or `member_text`. Without `all`, people see the first ones.
class MemoryRows {
 public:
  MemoryRows(const Trace& trace, const Presentation& presentation, bool all)
      : trace_(trace), presentation_(presentation), all_(all) {}
  void add(uint32_t thread, SliceInstance row) { rows_.push_back({thread, std::move(row)}); }
  // Members of a slice but the criterion.
  void add(const Slice& slice);
  void print() const;

 private:
  struct Row {
    uint32_t thread = 0;
    SliceInstance instance;
  };
  const Trace& trace_;
  const Presentation& presentation_;
  const bool all_;
  std::vector<Row> rows_;
};

}  // namespace vestige::cli
