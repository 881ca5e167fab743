// The program as one table: the functions of all modules in a row, found by index or by path id.
//
// Built once when the trace is opened and never changed. Records decode on all cores: a large
// program's table would otherwise dominate the time to open a trace.
#pragma once

#include <cstdint>
#include <vector>

#include "store/chunks.h"
#include "vestige/trace.h"

namespace vestige {

class ProgramTable {
 public:
  // Takes the module chunks in any order. Fails when two modules have the same index, a record
  // does not decode, or path id ranges overlap. A module index that is missing (its chunk was lost)
  // gives an empty module.
  static Result<ProgramTable> build(const std::vector<ModuleChunk>& modules);

  const std::vector<Function>& functions() const { return functions_; }
  const std::vector<ModuleInfo>& modules() const { return modules_; }
  // The function whose path ids hold `id`, or kNone.
  uint32_t function_of(uint32_t id) const;
  // One more than the largest path id; 0 without functions.
  uint64_t path_end() const { return path_end_; }

 private:
  std::vector<Function> functions_;
  std::vector<ModuleInfo> modules_;
  struct Range {
    uint32_t first = 0;  // path id
    uint32_t last = 0;   // path id, inclusive
    uint32_t function = 0;
  };
  std::vector<Range> ranges_;  // by rising `first`, disjoint
  uint64_t path_end_ = 0;
};

}  // namespace vestige
