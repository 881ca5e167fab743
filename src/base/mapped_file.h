// A file mapped read-only. Moves, does not copy; unmaps when destroyed.
//
// The bytes are those the file had when it was opened: a file that shrinks afterwards is read
// as an I/O error by the caller's own size checks only if it is reopened. Trace files are
// immutable once recorded, so nothing here watches for that. One that is still written can be
// followed: it only grows.
#pragma once

#include <string>

#include "base/bytes.h"
#include "vestige/result.h"

namespace vestige {

class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);
  // Of a file that grows: so many of its bytes, and more of them after each grow(). They do not
  // move.
  static Result<MappedFile> follow(const std::string& path, uint64_t bytes);
  Result<void> grow(uint64_t bytes);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept { swap(other); }
  MappedFile& operator=(MappedFile&& other) noexcept {
    swap(other);
    return *this;
  }
  ~MappedFile();

  ByteView bytes() const { return bytes_; }

 private:
  // What is set aside for a file that is followed: addresses, not memory.
  static constexpr size_t kMostFollowed = size_t{64} << 30;
  static Result<MappedFile> map(const std::string& path, bool follows);
  void swap(MappedFile& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(mapped_, other.mapped_);
    std::swap(descriptor_, other.descriptor_);
  }
  ByteView bytes_;
  size_t mapped_ = 0;    // bytes; not less than those of the file
  int descriptor_ = -1;  // of a file that is followed
};

}  // namespace vestige
