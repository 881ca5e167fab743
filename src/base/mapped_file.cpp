#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace vestige {

Result<MappedFile> MappedFile::open(const std::string& path) {
  const auto refused = [&](const char* what) {
    return fail(ErrorKind::io,
                std::string("cannot ") + what + " " + path + ": " + std::strerror(errno));
  };
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return refused("open");
  struct stat st{};
  MappedFile file;
  if (::fstat(fd, &st) != 0) {
    auto error = refused("stat");
    ::close(fd);
    return error;
  }
  if (!S_ISREG(st.st_mode)) {
    ::close(fd);
    return fail(ErrorKind::io, path + " is not a regular file");
  }
  if (st.st_size > 0) {
    void* at = ::mmap(nullptr, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED) {
      auto error = refused("map");
      ::close(fd);
      return error;
    }
    file.bytes_ = {static_cast<const uint8_t*>(at), static_cast<size_t>(st.st_size)};
  }
  ::close(fd);
  return file;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
}

}  // namespace vestige
