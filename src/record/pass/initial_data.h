// What lies at a global when the program starts, as the program table keeps it: bytes without the
// zeros at their end, and the addresses among them, which the loader puts there.
#pragma once

#include <functional>
#include <optional>

#include "llvm/IR/GlobalVariable.h"
#include "vestige/program.h"

namespace vestige {

// Nothing when it is not known here (a declaration, or a definition that the linker may replace by
// another one), is thread-local, or is longer than `most` bytes or 4,096 addresses. `symbol` gives
// a global's number in the table, kNone when it cannot have one. ConstantData::symbol is the
// caller's to set.
std::optional<ConstantData> initial_data(
    const llvm::GlobalVariable& global, uint64_t most,
    const std::function<uint32_t(const llvm::GlobalValue&)>& symbol);

}  // namespace vestige
