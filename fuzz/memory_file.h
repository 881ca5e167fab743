// A file in memory that can be opened by name.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "base/bytes.h"
#include "fuzz.h"

namespace vestige {

class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("fuzz", 0)) {
    require(descriptor_ >= 0, "no memory file");
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // In the place of what it held.
  void write(ByteView bytes) {
    const bool written =
        ftruncate(descriptor_, 0) == 0 &&
        pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
    require(written, "a short write");
  }
  std::string name() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace vestige
