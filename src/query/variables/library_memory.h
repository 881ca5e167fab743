// Which bytes library functions leave in memory, where program/library.h says which places they
// write, and what is known of functions that are not in its table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "program/library.h"

namespace vestige {

using KnownArguments = std::span<const std::optional<uint64_t>>;

// It writes nothing that a program has variables of. Functions whose effects are in the table do
// not count, unless those of this call are none.
bool leaves_memory_alone(std::string_view function);
// It writes nothing through this argument: a member function that is const, through `this`.
bool leaves_argument_alone(std::string_view function, size_t argument);
// The byte that all of a computed range holds.
std::optional<uint8_t> filled_with(std::string_view function, LibraryRange::Kind kind,
                                   uint64_t bytes, KnownArguments arguments);
// The last byte of a range is a zero.
bool ends_with_zero(std::string_view function, LibraryRange::Kind kind);
// Blocks of the heap: how large the one is that it gives, and the argument that is no block behind
// it.
std::optional<uint64_t> allocated_bytes(std::string_view function, KnownArguments arguments);
std::optional<size_t> freed_argument(std::string_view function);

}  // namespace vestige
