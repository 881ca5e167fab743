// Calls of functions whose ranges of memory are known (program/library.h).
#pragma once

#include <optional>

#include "program/library.h"

namespace llvm {
class CallBase;
}

namespace vestige {

// Nothing when the callee is not one of them. The module must not define it: what is defined under
// such a name may do anything.
std::optional<LibraryCall> library_call(const llvm::CallBase& call);

}  // namespace vestige
