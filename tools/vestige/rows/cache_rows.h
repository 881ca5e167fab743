// The answer of `vestige replay --cache` as text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "command_line.h"
#include "vestige/spmd.h"

namespace vestige::cli {

struct CacheRows {
  const CacheModel& model;
  const std::vector<ReuseDistances>& reuse;  // by thread; empty: not asked for
  const std::vector<std::string>& threads;   // their names
  std::function<DescriptorStatement(uint64_t id)> statement;
  const Presentation& presentation;
  size_t top = 0;  // rows of each list at most; 0: all

  // Totals; then source lines, variables and lines of memory, those that miss most first. With
  // --csv the source lines.
  void print() const;
};

}  // namespace vestige::cli
