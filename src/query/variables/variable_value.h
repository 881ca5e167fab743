// The bytes of a variable as a value of its type.
#pragma once

#include <string>

#include "query/variables/variable_parts.h"
#include "vestige/variables.h"

namespace vestige {

// More elements of an array, members and elements in all, and levels are not shown.
inline constexpr size_t kElementsShown = 200;
inline constexpr size_t kPartsShown = 4096;
inline constexpr int kLevelsShown = 16;

// Where the bytes of a variable come from.
class VariableBytes {
 public:
  virtual ~VariableBytes() = default;
  // False: not known.
  virtual bool get(uint64_t at, uint8_t& value) const = 0;
  // Why it is not.
  virtual std::string why(uint64_t at) const = 0;
};

VariableValue read_value(const Function& function, const VariablePart& part,
                         const VariableBytes& bytes);

}  // namespace vestige
