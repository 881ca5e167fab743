// The library that knows MPI is loaded when it is wanted: everything else works without MPI.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "vestige/spmd.h"
#include "vestige/version.h"

namespace vestige {

Result<std::unique_ptr<Transport>> mpi_transport() {
  std::error_code failure;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
  // Whose mpirun it was.
  const bool open = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
  const std::string library = (program.parent_path() / "../lib/vestige" / VESTIGE_VERSION /
                               (open ? "vestige-mpi-openmpi.so" : "vestige-mpi-mpich.so"))
                                  .string();
  // Global: MPI's own plug-ins look for its symbols.
  void* loaded = ::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!loaded)
    return fail(ErrorKind::unsupported,
                std::string("this build has no MPI of this kind (") + ::dlerror() + "); install " +
                    (open ? "Open MPI" : "MPICH") + " and build again, or merge without mpirun");
  using Join = Transport* (*)();
  const auto join = reinterpret_cast<Join>(::dlsym(loaded, "vestige_join_mpi"));
  Transport* transport = join ? join() : nullptr;
  if (!transport) return fail(ErrorKind::io, "cannot join the MPI run");
  return std::unique_ptr<Transport>(transport);
}

}  // namespace vestige
