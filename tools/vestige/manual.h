// A command's flags as a manual page and as lines for completions. scripts/manual makes the
// installed files of them, so there is one table: the flags as the command itself takes them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace vestige::cli {

// In roff, for section 1.
std::string manual_page(const CLI::App& app, const std::string& command);

// Per flag: its names separated by commas, a tab, "value" when it takes one or "-", a tab, what it
// does.
std::string flag_lines(const CLI::App& app);

}  // namespace vestige::cli
