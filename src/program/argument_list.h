// The intrinsics of lists of arguments (va_list).
#pragma once

#include <string_view>

namespace vestige {

// va_start, va_copy and va_end: the address of the list comes first.
inline bool is_list_work(std::string_view callee) { return callee.starts_with("llvm.va_"); }

}  // namespace vestige
