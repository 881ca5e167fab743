// What an object file holds for the runtime: a slot for each recorded function, with the function's
// record and the addresses of what it names, and two functions that announce a module's slots.
#pragma once

#include "llvm/IR/Module.h"
#include "vestige/program.h"

namespace vestige {

// The three globals of a function, in its own COMDAT group when it has one: they are kept or thrown
// away together with the copy of the function that the linker keeps. Gives the slot.
llvm::GlobalVariable* add_slot(llvm::Function& function, llvm::ArrayRef<uint8_t> record,
                               const Function& described, bool has_order);

// Whether it holds the addresses of what a function names.
bool is_address_list(const llvm::GlobalVariable& global);

// Once per translation unit that has recorded functions: a constructor and destructor, one per
// linked module after COMDAT merging, that announce the module's slots to the runtime.
void add_module_hooks(llvm::Module& module);

}  // namespace vestige
