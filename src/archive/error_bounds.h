// Lossy compression of value series: how far a field's values may be from the raw trace's.
//
// A value is replaced by the middle of its class of 2 · bound + 1 neighbours, or by the field's
// largest value where that middle lies beyond it. Values are unsigned numbers of the field's width.
// Invariant: no value is further than the bound from its own, which tests hold it to. The classes
// are fixed, so values that were equal stay equal, and a field of floating-point numbers is not
// what this is for.
#pragma once

#include <map>
#include <string>

#include "codec/record_codec.h"

namespace vestige {

// By field of the layout. `wanted`: by a field's name, or "value" for every field but the PC.
// Fails (usage) on a name that no field has, on the PC, and on a bound that leaves nothing.
Result<std::vector<uint64_t>> error_bounds(const RecordLayout& layout,
                                           const std::map<std::string, uint64_t>& wanted);
void round_values(const RecordLayout& layout, std::span<const uint64_t> bounds, RecordBlock& block);

// By the name of each field that is not exact.
std::map<std::string, uint64_t> bounds_by_name(const RecordLayout& layout,
                                               std::span<const uint64_t> bounds);

}  // namespace vestige
