// What may change the way a thread rounds: program/derive.h.
#pragma once

#include "llvm/IR/InstrTypes.h"

namespace vestige {

// An instruction that sets MXCSR: an intrinsic, or inline assembly without a result that says so.
bool sets_rounding(const llvm::CallBase& call);
// A call of a function that may: not one of those that the compiler knows (malloc, printf, sin …).
// It is asked even of functions that are recorded: they may leave it to another, as their last act,
// to come back.
bool may_set_rounding(const llvm::CallBase& call);

}  // namespace vestige
