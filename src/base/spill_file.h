// A file without a name for what memory shall not hold: in the folder for temporary files
// ($TMPDIR), gone when it is closed. Moves, does not copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace vestige {

class SpillFile {
 public:
  SpillFile() = default;
  SpillFile(SpillFile&& other) noexcept { swap(other); }
  SpillFile& operator=(SpillFile&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SpillFile();

  // False: there is no room, or no file can be made. The first write makes it.
  bool write(uint64_t offset, const void* bytes, size_t size);
  // Of what was written.
  bool read(uint64_t offset, void* bytes, size_t size) const;

 private:
  void swap(SpillFile& other) { std::swap(fd_, other.fd_); }
  int fd_ = -1;
};

}  // namespace vestige
