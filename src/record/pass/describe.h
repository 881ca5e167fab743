// A function's IR as a static-program Function: statements with operands, types, constants,
// source positions with their inlining chain, loops, control dependence, segments.
#pragma once

#include "layout.h"
#include "llvm/Analysis/LoopInfo.h"

namespace vestige {

// `is_home`: it describes the module's globals as well, whoever uses them.
Function describe(llvm::Function& function, const Layout& layout, const llvm::LoopInfo& loops,
                  bool is_home);

// What a probe in the machine code says of its block: which function, as a hash of translation
// unit and name (XXH3 of unit, a zero byte, name).
uint64_t probe_guid(const Function& function);

}  // namespace vestige
