// The static program as a recording of addresses sees it (record --what memory).
//
// Where addresses are wanted and values are not, types that are nothing but floating point are
// *untold*: they are called "untold double" and so on, which makes them types of which nothing is
// kept (derive.h). So are integers from which no address follows in their function: what comes of
// floating point (comparisons for a branch), and what an innermost loop computes in memory from
// numbers in memory, or adds up. (Where the function finds addresses with what it loads from the
// same variable, or through the same pointer, what it computes there is not untold: it would be
// told again each time.) Should an address come of such memory after all, it is told where it is
// loaded; so are arguments that a callee with any number of them does not name. All other rules
// stay as they are.
//
// A function that tells the same in all recordings has a type called kTellsAll: it could not be
// given a body of its own for addresses, or that would not save much.
#pragma once

#include <string_view>

#include "vestige/program.h"

namespace vestige {

inline constexpr std::string_view kUntold = "untold ";
inline constexpr std::string_view kTellsAll = "told";

// Of a call's flags (docs/format.md): its type takes any number of arguments, and names so many.
inline constexpr uint32_t kVariadic = 16, kFixedArguments = 32;

// The type's own name.
constexpr std::string_view told_name(std::string_view type) {
  return type.starts_with(kUntold) ? type.substr(kUntold.size()) : type;
}

// Whether there are such types. Not in a function that tells the same in all recordings.
bool has_untold(const Function& function);

// Whether a body of its own for addresses is worth its size: it has floating point, or an eighth of
// its statements is not told. A function with floating point that told all would miss what others
// return to it.
bool saves_much(const Function& function);

// Makes the types untold.
void make_untold(Function& function);

}  // namespace vestige
