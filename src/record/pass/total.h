// Makes code total: what the evaluator derives must be what the machine does, for programs with
// undefined behaviour too, since those are what a recorder is for. Flags and metadata that would
// let the code generator assume something are dropped, undefined operands become zero, shift
// amounts are masked, and floating point means what it says.
#pragma once

#include "llvm/IR/Function.h"

namespace vestige {

void make_total(llvm::Function& function);

}  // namespace vestige
