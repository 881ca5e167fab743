#include "record/collect/linked_mpi.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <string_view>

namespace vestige {

namespace {

// Libraries by the names of their interfaces: MPICH's and its relatives' is libmpi.so.12.
std::string mpi_of(std::string_view library) {
  if (library.starts_with("libmpich.so") || library == "libmpi.so.12") return "mpich";
  if (library.starts_with("libmpi.so.")) return "openmpi";
  return "";
}

std::string find_in(Elf* elf) {
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section))) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    GElf_Dyn entry;
    for (int i = 0; data && gelf_getdyn(data, i, &entry); ++i) {
      if (entry.d_tag != DT_NEEDED) continue;
      const char* name = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
      if (std::string mpi = name ? mpi_of(name) : ""; !mpi.empty()) return mpi;
    }
  }
  return "";
}

}  // namespace

std::string linked_mpi(const std::string& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  elf_version(EV_CURRENT);
  std::string mpi;
  if (Elf* elf = elf_begin(fd, ELF_C_READ_MMAP, nullptr)) {
    mpi = find_in(elf);
    elf_end(elf);
  }
  ::close(fd);
  return mpi;
}

}  // namespace vestige
