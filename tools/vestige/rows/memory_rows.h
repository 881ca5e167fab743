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
  void add(SliceInstance row) { rows_.push_back(row); }
  // Members of a slice but the criterion.
  void add(const Slice& slice);
  void print() const;

 private:
  const Trace& trace_;
  const Presentation& presentation_;
  const bool all_;
  std::vector<SliceInstance> rows_;
};

}  // namespace vestige::cli
