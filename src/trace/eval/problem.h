// What the evaluator found to disagree. A correct recording has no problems: that is how `vestige
// verify` proves one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vestige/program.h"

namespace vestige {

struct EvaluationProblem {
  enum class Kind : uint8_t {
    branch,     // the condition leads to block `found`, the recorded path went to block `expected`
    not_taken,  // a told value for index `expected` that no statement of the path took
    out_of_order,  // a told value whose time was over: `expected` is its time
    needless,      // a told value that tells what the shadow held: `expected` is the value
    too_wide,      // a told value with more bits than its type: `expected` is the value
    division,      // a division by zero, or of the least number by −1
    activation,    // a path of another function than the activation it continues
  };
  Kind kind = Kind::branch;
  uint64_t time = 0;
  uint32_t function = kNone;   // Trace::functions()
  uint32_t statement = kNone;  // Function::statements, or kNone
  uint64_t expected = 0, found = 0;
};

// Counts all, keeps the first kMost.
class EvaluationProblems {
 public:
  static constexpr size_t kMost = 100;
  void add(const EvaluationProblem& problem) {
    ++count_;
    if (list_.size() < kMost) list_.push_back(problem);
  }
  uint64_t count() const { return count_; }
  const std::vector<EvaluationProblem>& list() const { return list_; }

 private:
  uint64_t count_ = 0;
  std::vector<EvaluationProblem> list_;
};

// A sentence: "time 12, main #3 (br): goes to B4, but the recorded path went to B2".
std::string describe(const EvaluationProblem& problem, const std::vector<Function>& functions);

}  // namespace vestige
