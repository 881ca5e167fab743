// Which values a path takes from what its activation computed before.
#pragma once

#include <vector>

#include "trace/eval/compile_path.h"

namespace vestige {

// Slots of arguments and statements; constants are no question.
struct SlotUses {
  std::vector<uint32_t> reads;   // before the path writes them itself; some more than that
  std::vector<uint32_t> writes;  // always
};

// `code` must be compiled with every statement observed and every binding watched: what is shown is
// used too.
SlotUses uses_of(const PathCode& code);
// The slots that are looked at when a call comes back: its callee, and the arguments where ranges
// of memory follow from them.
std::vector<uint32_t> call_slots(const FunctionCode& function, uint32_t call);

}  // namespace vestige
