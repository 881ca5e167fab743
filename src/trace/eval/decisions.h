// Values that only decide where a path goes. The paths are recorded, so who wants the values of
// certain statements alone can do without them.
#pragma once

#include <vector>

#include "trace/eval/function_code.h"

namespace vestige {

// A bit per statement of the function: its value is computed from others, it is not observed, and
// only branches and switches look at it, or others of this kind. `observed` is by statement id.
std::vector<bool> mere_decisions(const FunctionCode& code, const std::vector<bool>& observed);

}  // namespace vestige
