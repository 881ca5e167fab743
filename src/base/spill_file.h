// Files without a name for what memory shall not hold: in the folder for temporary files ($TMPDIR),
// gone when they are closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace vestige {

// Its descriptor, to read and write; -1 and errno when none can be made.
int open_nameless_file();

// Made by the first write. Moves, does not copy.
class SpillFile {
 public:
  SpillFile() = default;
  SpillFile(SpillFile&& other) noexcept { swap(other); }
  SpillFile& operator=(SpillFile&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SpillFile();

  // False: there is no room, or no file can be made.
  bool write(uint64_t offset, const void* bytes, size_t size);
  // Of what was written.
  bool read(uint64_t offset, void* bytes, size_t size) const;

 private:
  void swap(SpillFile& other) noexcept { std::swap(fd_, other.fd_); }
  int fd_ = -1;
};

}  // namespace vestige
