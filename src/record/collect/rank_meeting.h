// What the collector of a parallel run writes for the ranks into the file where they meet: one
// line, the value of VESTIGE_SESSION, or why there will be none.
#pragma once

#include <optional>
#include <string>

#include "vestige/record_ranks.h"

namespace vestige {

inline constexpr const char* kMeetingFailed = "! ";

// What a rank says of its output, and what one of the others said; nothing when it said nothing
// (yet).
std::string notice_of(const RecordOptions& options);
std::optional<std::string> noticed_output(const RankMeeting& meeting, uint32_t rank);

// The value for the program of a rank: always of one length.
std::string with_rank(const std::string& variable, uint32_t rank);

}  // namespace vestige
