// DIExpressions as the steps of bindings.
#pragma once

#include <vector>

#include "llvm/IR/DebugInfoMetadata.h"
#include "vestige/program.h"

namespace vestige {

struct LocationExpression {
  bool known = true;                 // false: it does what steps cannot
  bool address = false;              // the result is where the variable lives, not what it is
  uint32_t first_bit = 0, bits = 0;  // the part of the variable it is about; bits 0: all
  std::vector<BindingStep> steps;    // empty: operand 0 as it is
};

LocationExpression translate(const llvm::DIExpression& from);

}  // namespace vestige
