// The source's variables and where they are, from the debug information (debug records and, in
// older IR, debug intrinsics): what `vestige variable` works from.
#pragma once

#include <functional>

#include "layout.h"
#include "llvm/IR/DebugInfoMetadata.h"

namespace vestige {

// What describing variables needs of the rest of the description.
struct DescribedPlaces {
  // The location of a declaration, in the table.
  std::function<uint32_t(const llvm::DIFile*, uint32_t line, const llvm::DIScope*,
                         const llvm::DILocation* inlined_at)>
      location;
  // The number of a symbol that statements name; kNone for others. Naming a symbol here would make
  // the program refer to what it does not.
  std::function<uint32_t(const llvm::GlobalValue&)> symbol;
  // The same, for what the module refers to anyway: gives it a number when it has none.
  std::function<uint32_t(const llvm::GlobalValue&)> name;
};

// Fills source_types, variables, bindings and data. The statements must be described. The home is
// the one function that describes all globals of its module, whoever uses them.
void describe_variables(const llvm::Function& from, const Layout& layout,
                        const DescribedPlaces& places, bool is_home, Function& out);

}  // namespace vestige
