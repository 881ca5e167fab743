// The bodies of a recorded function: one that records its paths, one that tells values as well, and
// one that tells only what addresses follow from, where that is another thing. Which of them runs
// is decided at its entry, by what is being recorded.
#pragma once

#include <optional>

#include "layout.h"

namespace vestige {

// An alloca of fixed size is made once, before either body; in `before`'s place it stood.
struct SharedSlot {
  llvm::AllocaInst* alloca_;
  llvm::Instruction* before;
};

struct Body {
  Layout layout;            // its blocks and statements
  llvm::BasicBlock* entry;  // where it begins
  std::vector<SharedSlot> slots;
};

struct Bodies {
  llvm::Instruction* dispatch;           // the end of the entry block, which goes on to one of them
  std::optional<Body> paths, addresses;  // not for functions that cannot be duplicated
  Body values;
};

// `layout` is that of the function as it is. `addresses`: one for addresses is wanted.
Bodies make_bodies(llvm::Function& function, const Layout& layout, bool addresses);
// Whether it would have a body for addresses.
bool can_have_addresses(const llvm::Function& function);

}  // namespace vestige
