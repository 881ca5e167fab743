// What two runs computed differently on the way that they have in common, thread by thread.
//
// Both runs are evaluated side by side, path by path. Values are compared in the order in which
// they come into being: that of a call when it returns, before anything that its activation does
// next. Of the path in which the runs part, the statements that both execute count too, and what
// came back before them.
//
// Where things lie is no difference. Pointers that are both addresses are not compared; integers
// that hold addresses (of the size of pointers, where pointers have been seen, and as far apart as
// those) neither.
//
// Memory: what differs, up to a bound; behind it only the first and the last are known.
#pragma once

#include <algorithm>
#include <vector>

#include "vestige/diff.h"

namespace vestige {

// An execution that both runs have and whose result, or address, is not the same bits.
struct DifferingExecution {
  StatementRef statement;  // in A
  uint64_t time = 0;       // in A
  uint64_t order = 0;      // among these
  std::optional<uint64_t> a, b;
  bool counts = false;  // not because of where something lies
};

class DifferingExecutions {
 public:
  static constexpr size_t kMost = size_t{1} << 21;

  void add(const DifferingExecution& one) {
    if (list_.size() == kMost)
      full_ = true;
    else
      list_.push_back(one);
  }
  void sort() { std::ranges::sort(list_, {}, key); }
  // Once sorted; null: it is the same in both, or was not compared.
  const DifferingExecution* find(StatementRef statement, uint64_t time) const {
    const auto at = std::ranges::lower_bound(list_, std::pair(time, statement.statement), {}, key);
    for (auto one = at; one != list_.end() && one->time == time; ++one)
      if (one->statement == statement) return &*one;
    return nullptr;
  }
  // There were more.
  bool full() const { return full_; }

 private:
  static std::pair<uint64_t, uint32_t> key(const DifferingExecution& one) {
    return {one.time, one.statement.statement};
  }
  std::vector<DifferingExecution> list_;
  bool full_ = false;
};

// Whether executions of a statement are compared at all.
bool has_compared_value(const Function& function, uint32_t statement);

// Fills in `value`, `last` and `values_compared` of `diff`; ends at the first difference when the
// rest is not wanted.
Result<void> compare_values(const Trace& a, const Trace& b, const std::vector<uint32_t>& twins,
                            ThreadDiff& diff, DifferingExecutions* all);

}  // namespace vestige
