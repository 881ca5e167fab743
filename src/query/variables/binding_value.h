// What a binding's expression gives.
#pragma once

#include <optional>
#include <span>

#include "vestige/program.h"

namespace vestige {

// An operand with the bits of its type: what divides, compares or shifts as a signed number must
// know where the sign is.
struct BindingWord {
  uint64_t value = 0;
  unsigned bits = 64;
};

// The binding must be checked (first_variable_problem). Nothing when an operand is not known or
// something is divided by zero.
std::optional<uint64_t> binding_value(const Binding& binding,
                                      std::span<const std::optional<BindingWord>> operands);

}  // namespace vestige
