// A whole file made smaller: the beginning of what ran.
#pragma once

#include <cstdint>
#include <string>

#include "vestige/result.h"

namespace vestige {

struct CutSummary {
  uint64_t paths = 0;  // that are left
  uint64_t bytes = 0;  // of the new file
};
// Copies as much of what ran as fits into a file of `most` bytes, and all that says what ran and
// how it ended. Larger only when that alone is.
Result<CutSummary> cut_store(const std::string& from, const std::string& to, uint64_t most);

}  // namespace vestige
