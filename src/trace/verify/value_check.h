// Evaluates every thread of a full recording and compares: each branch must go where the recorded
// path went, each value told must be one that could not be foreseen, and each value given for the
// purpose (record --check) must be the one that was derived.
#pragma once

#include <string>
#include <vector>

#include "vestige/result.h"

namespace vestige {

struct ValueCheck {
  uint64_t compared = 0;  // values given that were looked at
  // One sentence per problem, at most a few for each thread.
  std::vector<std::string> problems;
  std::vector<std::string> notes;  // what could not be evaluated
};
// Nothing for a trace without values. `path` is a sound trace file.
Result<ValueCheck> check_values(const std::string& path);

}  // namespace vestige
