// Inserts the recording code into one function: a path register, and appends of path words to the
// thread's ring.
//
// The path register holds the number of the path so far, from 0, and is a constant until the
// first branch with an increment; the flat id is made at the append by adding the slot's base,
// which the runtime fills in at load. Register and ring pointer live in allocas that are promoted
// at the end, so both are in machine registers inside the function; the pointer goes back to the
// thread's state before anything that may run other recorded code, and comes from there after it.
//
//     append:   word = register + increment + slot.base;  *next++ = word;
//               if (next >= thread.limit) next = __vestige_full(next);
//
// The word is written when the path ends, before the call or return that ends it.
#pragma once

#include "layout.h"

namespace vestige {

enum class Telling {
  nothing,      // paths alone
  told_values,  // a second body tells the values that do not follow from others
  everything,   // and that body gives all other values too, for recordings to be checked with
};

// `described` is the function in the program table, made from the same layout. `order`: with a body
// that tells the order of accesses.
void instrument(llvm::Function& function, const Layout& layout, const Function& described,
                Telling telling, bool order);

}  // namespace vestige
