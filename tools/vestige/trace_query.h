// What the commands that ask a trace share: opening it, naming its functions, and rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vestige/query.h"
#include "vestige/trace.h"

namespace vestige::cli {

// The trace, or nothing after the reason was reported; every failure to open is exit code 3.
std::optional<Trace> open_trace(const std::string& file);

// For queries that show values: says that a recording of addresses has not all of them.
void note_untold_values(const Trace& trace, bool quiet);

// The functions a user means by a name, or by `#ID` as vestige functions lists it. Never empty.
Result<std::vector<uint32_t>> functions_named(const Trace& trace, const std::string& name);

// How many rows people get before "… N more (use --all)".
inline constexpr uint64_t kShortRows = 40;
std::string more_text(uint64_t rows, const char* of_what);

// Last component of a path.
std::string_view file_name(std::string_view path);

}  // namespace vestige::cli
