// Files and pipes as byte streams; `-` is standard input or output.
#pragma once

#include <memory>

#include "archive/byte_stream.h"

namespace vestige {

class FileSource final : public ByteSource {
 public:
  static Result<std::unique_ptr<FileSource>> open(const std::string& path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;

  Result<size_t> read(std::span<uint8_t> out) override;
  uint64_t size() const override { return size_; }
  const std::string& name() const override { return name_; }
  std::unique_ptr<ByteSource> from(uint64_t at) const override;  // regular files only
  int descriptor() const { return fd_; }

 private:
  FileSource() = default;
  std::string name_;
  int fd_ = -1;
  uint64_t size_ = 0;
  uint64_t begin_ = 0;  // where in a regular file it began
  bool regular_ = false;
};

// A regular file appears under its name only with finish(): until then the bytes lie in a nameless
// file of the same folder (a named one where the file system has no nameless ones), so a failure,
// or a kill, leaves whatever the name stood for before. Devices and pipes are written as they are.
class FileSink final : public ByteSink {
 public:
  static Result<std::unique_ptr<FileSink>> open(const std::string& path);
  ~FileSink() override;
  FileSink(const FileSink&) = delete;

  Result<void> write(ByteView bytes) override;
  // Call once, at the end.
  Result<void> finish();

 private:
  FileSink() = default;
  Result<void> open_beside();
  Error refused(const char* what) const;

  std::string name_;    // as the user wrote it
  std::string target_;  // the regular file to become; empty: written directly
  std::string beside_;  // the named file that holds the bytes; empty: nameless or direct
  int fd_ = -1;
};

// Fails (wrong use) when `out` names the very file that `in` reads.
Result<void> refuse_same_file(const FileSource& in, const std::string& out);

}  // namespace vestige
