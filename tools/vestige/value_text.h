// Values and addresses as text (docs/queries.md): integers signed, i1 as 0 or 1, floating point in the
// fewest digits that read back the same. Pointers are numbers to scripts, and 0x… to people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "command_line.h"
#include "vestige/values.h"

namespace vestige::cli {

// Unknown: null in JSON, empty in CSV, ? for people.
std::string value_text(ValueType type, std::optional<uint64_t> bits, Format format);
std::string address_text(std::optional<uint64_t> address, Format format);

}  // namespace vestige::cli
