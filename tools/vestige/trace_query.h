// What the commands that ask a trace share: opening it, naming its functions, and rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command_line.h"
#include "output.h"
#include "rows/rows.h"
#include "vestige/query.h"
#include "vestige/trace.h"

namespace vestige::cli {

// The trace, or nothing after the reason was reported; every failure to open is exit code 3. It
// stays open until the process ends: giving back a large program piece by piece takes longer than
// many an answer.
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

// vestige functions, blocks and statements: what is listed, and how.
struct Listing {
  std::string file, what;
  bool counts = false, all = false;
  Presentation presentation;

  // The counts, when they are wanted; otherwise none.
  Result<std::vector<FunctionCounts>> profile(const Trace& trace) const;
  // Whether the answer has a row, the N-th: people are shown the first ones.
  bool shows(uint64_t number) const {
    return all || presentation.format() != Format::human || number <= kShortRows;
  }
  // How rows are written; without --counts the column of them is left out.
  RowStyle style(std::string_view count_column) const;
  // How many of the rows people were not shown.
  void say_more(Output& out, uint64_t rows, uint64_t shown, const char* of_what) const;
};
// TRACE, another argument, and the flags.
CLI::Option* add_listing(CommandLine& line, Listing& listing, const std::string& argument,
                         const std::string& help);

// Last component of a path.
std::string_view file_name(std::string_view path);

}  // namespace vestige::cli
