// What the evaluator needs besides the static program and the paths.
#pragma once

#include <cstdint>
#include <vector>

#include "program/told_value.h"

namespace vestige {

// The told values of one thread, in the order in which they happened.
class ToldValueSource {
 public:
  virtual ~ToldValueSource() = default;
  // False at the end.
  virtual bool next(ToldValue& told_value) = 0;
};

// Where a function and the symbols it names lay in the recorded process.
struct FunctionAddresses {
  bool known = true;              // otherwise what follows says nothing
  uint64_t own = 0;               // 0: it never knows who called it (program/derive.h)
  std::vector<uint64_t> symbols;  // like Function::symbols; 0: not known
};

// A library lies elsewhere from behind the path of this time on: it was unloaded and loaded again.
struct ModuleMove {
  uint64_t time = 0;
  uint32_t first_function = 0, function_count = 0;  // Trace::functions()
  const FunctionAddresses* addresses = nullptr;     // of those; null: not known
};

// Of one thread.
struct ModuleMoves {
  std::vector<ModuleMove> list;         // by rising time
  const ModuleMoves* parent = nullptr;  // of the thread it was forked from, if it was
};

struct EvaluationInputs {
  // Like Trace::functions(). Of functions behind its end no address is known, not even their own.
  const std::vector<FunctionAddresses>* addresses = nullptr;
  // Null: nothing was told, as in a process forked by a signal handler.
  ToldValueSource* told_values = nullptr;
  const ModuleMoves* moves = nullptr;  // null: none
};

}  // namespace vestige
