// What is loaded into a program before its own libraries, by what the program is linked with.
#pragma once

#include <string>

namespace vestige {

// Of a program of MPI: what tells of messages. MPIs differ in their handles and constants; a file
// that does not say which one it is linked with has the one that launched it. Empty when this build
// has none for it.
std::string messages_library(const std::string& program);

// Whether it is linked with gcc's OpenMP, which tells nobody what it does.
bool has_gnu_openmp(const std::string& program);
// Then: our runtime and LLVM's OpenMP, which has gcc's functions as well, and tells. Empty when it
// is not here.
std::string openmp_libraries(const std::string& program);

// Both of these, as LD_PRELOAD has them.
std::string join_libraries(const std::string& first, const std::string& second);

}  // namespace vestige
