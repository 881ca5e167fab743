// A file mapped read-only. Moves, does not copy; unmaps when destroyed.
//
// The bytes are those the file had when it was opened: a file that shrinks afterwards is read
// as an I/O error by the caller's own size checks only if it is reopened. Trace files are
// immutable once recorded, so nothing here watches for that.
#pragma once

#include <string>

#include "base/bytes.h"
#include "vestige/result.h"

namespace vestige {

class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept { swap(other); }
  MappedFile& operator=(MappedFile&& other) noexcept {
    swap(other);
    return *this;
  }
  ~MappedFile();

  ByteView bytes() const { return bytes_; }

 private:
  void swap(MappedFile& other) { std::swap(bytes_, other.bytes_); }
  ByteView bytes_;
};

}  // namespace vestige
