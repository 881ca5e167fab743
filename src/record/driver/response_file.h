// Response files (@file), taken apart as clang takes them apart: words are separated by blanks,
// quotes group, a backslash takes the next character as it is.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vestige::driver {

std::vector<std::string> split_response(std::string_view text);

// The arguments with every readable @file replaced by its words. A file that names itself again, or
// that nests deeper than 16 files, stays as it is: clang will say so.
std::vector<std::string> expand_response_files(std::span<const std::string> arguments);

}  // namespace vestige::driver
