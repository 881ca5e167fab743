#include "base/spill_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace vestige {

int open_nameless_file() {
  std::error_code failure;
  const std::string folder = std::filesystem::temp_directory_path(failure).string();
  if (failure) {
    errno = failure.value();
    return -1;
  }
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  // Not every file system has nameless files.
  std::string name = folder + "/vestige-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

namespace {

// All of it; `transfer` does some and says how much.
template <class Transfer>
bool whole(size_t size, const Transfer& transfer) {
  for (size_t done = 0; done < size;) {
    const ssize_t part = transfer(done);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) return false;
    done += static_cast<size_t>(part);
  }
  return true;
}

}  // namespace

SpillFile::~SpillFile() {
  if (fd_ >= 0) ::close(fd_);
}

bool SpillFile::write(uint64_t offset, const void* bytes, size_t size) {
  if (fd_ < 0) fd_ = open_nameless_file();
  if (fd_ < 0) return false;
  return whole(size, [&](size_t done) {
    return ::pwrite(fd_, static_cast<const char*>(bytes) + done, size - done,
                    static_cast<off_t>(offset + done));
  });
}

bool SpillFile::read(uint64_t offset, void* bytes, size_t size) const {
  return whole(size, [&](size_t done) {
    return ::pread(fd_, static_cast<char*>(bytes) + done, size - done,
                   static_cast<off_t>(offset + done));
  });
}

}  // namespace vestige
