// Which functions to record (--include, --exclude) and which start and stop recording (--start,
// --stop). Patterns are shell patterns, matched against a function's linker name, its demangled
// name with and without the parameter list, and its source file as written or its last component.
#pragma once

#include "vestige/program.h"
#include "vestige/record.h"

namespace vestige {

class FunctionFilter {
 public:
  FunctionFilter() = default;
  explicit FunctionFilter(const RecordOptions& options);

  struct Verdict {
    bool excluded = false;
    bool starts = false;
    bool stops = false;
  };
  Verdict judge(const Function& function);
  // Of --include: a pattern that fits no function judged so far; empty when there is none.
  std::string unfitting() const;

  bool selects() const { return !include_.empty() || !exclude_.empty(); }
  bool triggered() const { return !start_.empty() || !stop_.empty(); }
  bool waits_for_start() const { return !start_.empty(); }
  bool active() const { return selects() || triggered(); }

 private:
  std::vector<std::string> include_, exclude_;
  std::vector<bool> fitted_;  // of include_: some function
  std::string start_, stop_;
};

}  // namespace vestige
