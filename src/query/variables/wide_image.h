// A wide value as the bytes it has in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vestige/detail/wide.h"
#include "vestige/program.h"

namespace vestige {

using WideImage = std::vector<std::optional<uint8_t>>;  // none: unknown, or between elements

WideImage wide_image(const Function& function, uint32_t type, const WideValue& value);

}  // namespace vestige
