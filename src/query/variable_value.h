// The bytes of a variable as a value of its type.
#pragma once

#include "query/variable_image.h"
#include "query/variable_parts.h"
#include "vestige/variables.h"

namespace vestige {

// More elements of an array, members and elements in all, and levels are not shown.
inline constexpr size_t kElementsShown = 200;
inline constexpr size_t kPartsShown = 1000;
inline constexpr int kLevelsShown = 16;

VariableValue read_value(const Function& function, const VariablePart& part,
                         const VariableImage& image);

}  // namespace vestige
