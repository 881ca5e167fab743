#include "record/collect/preload.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "vestige/version.h"

namespace vestige {

namespace {

void add_needed(Elf* elf, std::vector<std::string>& names) {
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section))) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    GElf_Dyn entry;
    for (int i = 0; data && gelf_getdyn(data, i, &entry); ++i) {
      if (entry.d_tag != DT_NEEDED) continue;
      if (const char* name = elf_strptr(elf, header.sh_link, entry.d_un.d_val))
        names.emplace_back(name);
    }
  }
}

// The libraries that a program names; none of a file that is no program.
std::vector<std::string> needed_libraries(const std::string& program) {
  std::vector<std::string> names;
  const int fd = ::open(program.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return names;
  elf_version(EV_CURRENT);
  if (Elf* elf = elf_begin(fd, ELF_C_READ_MMAP, nullptr)) {
    add_needed(elf, names);
    elf_end(elf);
  }
  ::close(fd);
  return names;
}

// By the names of their interfaces: MPICH's and its relatives' is libmpi.so.12.
std::string mpi_of(std::string_view library) {
  if (library.starts_with("libmpich.so") || library == "libmpi.so.12") return "mpich";
  if (library.starts_with("libmpi.so.")) return "openmpi";
  return "";
}

// One of our own; empty when it is not there.
std::string own_library(const std::string& name) {
  std::error_code failure;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
  const auto library = program.parent_path().parent_path() / "lib/vestige" / VESTIGE_VERSION / name;
  return std::filesystem::exists(library, failure) ? library.string() : "";
}

std::string llvm_openmp() {
  constexpr const char* kName = "/libomp.so.5";
  std::vector<std::string> folders;
  if (const char* variable = std::getenv("LD_LIBRARY_PATH")) {
    const std::string path = variable;
    for (size_t begin = 0; begin < path.size();) {
      const size_t end = std::min(path.find(':', begin), path.size());
      if (end != begin) folders.push_back(path.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  for (const char* usual : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/llvm-19/lib", "/usr/lib64",
                            "/usr/local/lib", "/usr/lib"})
    folders.emplace_back(usual);
  for (const std::string& folder : folders)
    if (::access((folder + kName).c_str(), R_OK) == 0) return folder + kName;
  return "";
}

}  // namespace

std::string messages_library(const std::string& program) {
  std::string mpi;
  for (const std::string& library : needed_libraries(program))
    if (mpi.empty()) mpi = mpi_of(library);
  if (mpi.empty()) mpi = std::getenv("OMPI_COMM_WORLD_RANK") ? "openmpi" : "mpich";
  return own_library("libvestige-pmpi-" + mpi + ".so");
}

bool has_gnu_openmp(const std::string& program) {
  const auto libraries = needed_libraries(program);
  return std::ranges::any_of(libraries,
                             [](const auto& name) { return name.starts_with("libgomp.so."); });
}

std::string openmp_libraries(const std::string& program) {
  if (!has_gnu_openmp(program)) return "";
  const std::string runtime = own_library("libvestige-rt.so"), openmp = llvm_openmp();
  // In this order, so that we stand in front of its functions.
  return runtime.empty() || openmp.empty() ? "" : join_libraries(runtime, openmp);
}

std::string join_libraries(const std::string& first, const std::string& second) {
  return first + (first.empty() || second.empty() ? "" : ":") + second;
}

}  // namespace vestige
