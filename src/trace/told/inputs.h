// What the evaluator needs besides the static program and the paths.
#pragma once

#include <cstdint>
#include <vector>

namespace vestige {

// A value that was told (program/derive.h): the thread could not have known it.
struct Surprise {
  // Of the path it belongs to; paths are numbered from 1. A path that was abandoned has the time of
  // the next one that was not, so a surprise with index kPathAbandoned stands between theirs.
  uint64_t time = 0;
  uint32_t index = 0;  // the statement, or the number of statements plus k for argument k
  uint64_t value = 0;  // zero-extended
};

inline constexpr uint32_t kPathAbandoned = 0x7fffffff;
// From the path of this time on, values were told that are lost; it is the last surprise.
inline constexpr uint32_t kValuesLost = 0x7ffffffe;
// Before anything else that is told in its path: the thread rounds as `value` says from here on.
inline constexpr uint32_t kRoundingSet = 0x7ffffffd;
// In an index below that: the value was not told, but given to be compared with (record --check).
inline constexpr uint32_t kChecked = 1u << 30;

// The surprises of one thread, in the order in which they happened.
class SurpriseSource {
 public:
  virtual ~SurpriseSource() = default;
  // False at the end.
  virtual bool next(Surprise& surprise) = 0;
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
  SurpriseSource* surprises = nullptr;
  const ModuleMoves* moves = nullptr;  // null: none
};

}  // namespace vestige
