// Evaluates every thread of a full recording and compares: each branch must go where the recorded
// path went, and each value told must be one that could not be foreseen.
#pragma once

#include <string>
#include <vector>

#include "vestige/result.h"

namespace vestige {

// One sentence per problem, at most a few for each thread; none for a trace without values. `path`
// is a sound trace file.
Result<std::vector<std::string>> check_values(const std::string& path);

}  // namespace vestige
