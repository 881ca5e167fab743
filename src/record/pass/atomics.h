// Stamps of atomic operations and fences: a call before, which takes the location's stripe, and one
// behind (record/runtime/atomics.h). Flushes of OpenMP are fences too.
#pragma once

#include "llvm/IR/Instructions.h"

namespace vestige {

class RuntimeCalls;

// A flush of OpenMP is a fence, which a library function makes: in front of each comes one that we
// see.
void fence_flushes(llvm::Function& function);

// `next` is the alloca of the ring pointer. Precondition: the path that the operation ends has been
// appended before it.
void stamp(llvm::Instruction& operation, const RuntimeCalls& thread, llvm::Value* next);

}  // namespace vestige
