// Functions mostly have one return that all others jump to; the code generator copies it behind
// calls marked `tail`, so that they become jumps. What is inserted between such a call and the
// return would keep it from that, and deep tail recursion would need a deep stack. So it is done
// here first.
#pragma once

namespace llvm {
class Function;
}

namespace vestige {

// Returns whether anything changed; loop and dominance analyses are stale then.
bool expose_tail_calls(llvm::Function& function);

}  // namespace vestige
