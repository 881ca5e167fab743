#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace vestige {

Result<MappedFile> MappedFile::open(const std::string& path) { return map(path, false); }
Result<MappedFile> MappedFile::follow(const std::string& path, uint64_t bytes) {
  auto file = map(path, true);
  if (file) {
    file->bytes_ = {file->bytes_.data(), 0};
    if (auto grown = file->grow(bytes); !grown) return std::unexpected(grown.error());
  }
  return file;
}

Result<MappedFile> MappedFile::map(const std::string& path, bool follows) {
  const auto refused = [&](const char* what) {
    return fail(ErrorKind::io,
                std::string("cannot ") + what + " " + path + ": " + std::strerror(errno));
  };
  // What waits for a writer, as a pipe with a name does, is not to be waited for.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
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
  const auto size = static_cast<size_t>(st.st_size);
  const size_t mapped = follows ? kMostFollowed : size;
  if (mapped > 0) {
    void* at = ::mmap(nullptr, mapped, PROT_READ, follows ? MAP_SHARED : MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED) {
      auto error = refused("map");
      ::close(fd);
      return error;
    }
    file.bytes_ = {static_cast<const uint8_t*>(at), std::min(size, mapped)};
    file.mapped_ = mapped;
  }
  if (follows)
    file.descriptor_ = fd;
  else
    ::close(fd);
  return file;
}

Result<void> MappedFile::grow(uint64_t bytes) {
  struct stat st{};
  if (::fstat(descriptor_, &st) != 0)
    return fail(ErrorKind::io, std::string("cannot stat a followed file: ") + std::strerror(errno));
  const auto size = static_cast<size_t>(std::min<uint64_t>(st.st_size, bytes));
  if (size > mapped_ || size < bytes_.size())
    return fail(ErrorKind::io, "a followed file has become too large, or smaller");
  bytes_ = {bytes_.data(), size};
  return {};
}

MappedFile::~MappedFile() {
  if (mapped_ > 0) ::munmap(const_cast<uint8_t*>(bytes_.data()), mapped_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace vestige
