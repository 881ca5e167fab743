// Values and addresses as text (docs/queries.md): integers signed, i1 as 0 or 1, floating point in
// the fewest digits that read back the same. Pointers are numbers to scripts, and 0x… to people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command_line.h"
#include "vestige/detail/wide.h"
#include "vestige/values.h"

namespace vestige::cli {

// Unknown: null in JSON, empty in CSV, ? for people.
std::string value_text(ValueType type, std::optional<uint64_t> bits, Format format);
// Of a value that is not simple: "<1, 2>", "[1, 2]", "{1, 0}" for people and in CSV, arrays in
// JSON. Numbers have all their digits.
std::string wide_text(const std::vector<WideItem>& items, const WideRef& value, Format format);
std::string address_text(std::optional<uint64_t> address, Format format);

}  // namespace vestige::cli
