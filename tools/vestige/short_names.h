// Names cut down to what a person reads in a row. Exact names are in --json and --csv.
#pragma once

#include <string>
#include <string_view>

#include "vestige/program.h"

namespace vestige::cli {

// A demangled name without its arguments, and without template arguments where it would still be
// long: "std::thread::_State_impl<…>::_M_run".
std::string short_function(std::string_view demangled);

// "invoke.h:74:14", and for inlined code the line of the function itself it came to: "(at
// main.c:20)".
std::string short_place(const Function& function, uint32_t location);

}  // namespace vestige::cli
