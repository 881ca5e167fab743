// What the commands that ask a trace share: opening it, naming its functions, and rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vestige/query.h"
#include "vestige/trace.h"

namespace vestige::cli {

// The trace, or nothing after the reason was reported; every failure to open is exit code 3. It stays open until the process ends:
// giving back a large program piece by piece takes longer than many an answer.
const Trace* open_trace(const std::string& file);
// The same, of a trace that knows what ran.
const Trace* open_control_flow(const std::string& file);

// For queries that show values: says that a recording of addresses has not all of them.
void note_untold_values(const Trace& trace, bool quiet);

// The functions a user means by a name, or by `#ID` as vestige functions lists it. Never empty.
Result<std::vector<uint32_t>> functions_named(const Trace& trace, const std::string& name);

// How many rows people get before "… N more (use --all)".
inline constexpr uint64_t kShortRows = 40;
std::string more_text(uint64_t rows, const char* of_what);

// Where a statement stands in the source; no file and line 0 when that is not known.
struct SourceLine {
  std::string_view file;
  uint32_t line = 0;
  auto operator<=>(const SourceLine&) const = default;
};
SourceLine line_of(const Trace& trace, StatementRef ref);

// The counts that a command was asked for with --counts; without it none.
Result<std::vector<FunctionCounts>> profile_if(const Trace& trace, bool wanted);

// Last component of a path.
std::string_view file_name(std::string_view path);

}  // namespace vestige::cli
