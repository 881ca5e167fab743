// Which MPI a program is linked with: their handles and constants differ.
#pragma once

#include <string>

namespace vestige {

// "openmpi", "mpich" (or what has its interface), or nothing: the file does not say.
std::string linked_mpi(const std::string& file);

}  // namespace vestige
