// How many paths a function has, without numbering them (numbering.h).
#pragma once

#include <cstdint>
#include <vector>

#include "vestige/program.h"
#include "vestige/result.h"

namespace vestige {

// Fails as number_paths does.
Result<uint64_t> count_paths(const std::vector<Segment>& segments);

}  // namespace vestige
