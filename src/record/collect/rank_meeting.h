// What the collector of a parallel run writes for the ranks into the file where they meet: one
// line, the value of VESTIGE_SESSION, or why there will be none.
#pragma once

#include <string>

#include "vestige/result.h"

namespace vestige {

inline constexpr const char* kMeetingFailed = "! ";

// The value for the program of a rank: always of one length.
std::string with_rank(const std::string& variable, uint32_t rank);

}  // namespace vestige
