// The bodies of a recorded function: one that records its paths, one that tells values as well, one
// that tells only what addresses follow from, where that is another thing, and one that tells the
// order of accesses, too, where that is wanted. Which of them runs is decided at its entry, by what
// is being recorded.
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
  std::optional<Body> order;  // when asked for, and the function can be duplicated
};

// `layout` is that of the function as it is.
struct BodyKinds {
  bool addresses = false, order = false;
};
Bodies make_bodies(llvm::Function& function, const Layout& layout, BodyKinds wanted);
// Whether it would have a body for addresses.
bool can_have_addresses(const llvm::Function& function);

}  // namespace vestige
