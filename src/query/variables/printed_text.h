// What sprintf and its like write: the text of a format whose arguments are known.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "query/variables/library_memory.h"

namespace vestige {

// The text at an address, up to its zero; nothing when a byte of it is not known.
using TextReader = std::function<std::optional<std::string>(uint64_t address)>;

// Of functions that take a format and its arguments, and write a text: the number of the format.
std::optional<size_t> format_of_text(std::string_view function);
// Nothing when a value is not known, or the format has something that is not followed: positions,
// wide characters, long doubles, %n.
std::optional<std::string> printed_text(std::string_view format, KnownArguments values,
                                        const TextReader& text);

}  // namespace vestige
