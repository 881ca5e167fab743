// The distinct values of a list, and the list as indices into them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vestige {

// In ascending order.
std::vector<uint64_t> distinct_values(std::span<const uint64_t> values);
// Every value must be in `sorted`, which has fewer than 2^32.
std::vector<uint64_t> dictionary_indices(std::span<const uint64_t> values,
                                         std::span<const uint64_t> sorted);

}  // namespace vestige
