// Reads a .vcz file front to back (archive_header.h has the grammar), checking every frame before
// it is handed out.
//
// Errors of kind corrupt and unsupported name the file and the byte they are about; those of kind
// io come from the source. After a failure nothing more may be called. Thread safety: one thread.
#pragma once

#include <memory>

#include "archive/archive_header.h"
#include "archive/byte_stream.h"

namespace vestige {

class ArchiveReader {
 public:
  // Reads the header. The source must outlive the reader.
  static Result<std::unique_ptr<ArchiveReader>> open(ByteSource& source);

  const ArchiveHeader& header() const { return header_; }

  struct Frame {
    uint32_t rows = 0;  // 0: the trailer
    ByteView payload;   // of a block, until the next call; of the trailer, the tail
  };
  Result<Frame> next();
  // To be told the rows of each block, then the tail, as they came out: fails when they are not the
  // ones that went in, or the trailer counts others.
  Result<void> confirm(ByteView raw);
  // Behind the trailer: fails when more bytes follow.
  Result<void> expect_end();

  uint64_t bytes_read() const { return read_; }
  // An error about the frame that was read last.
  std::unexpected<Error> damaged(const std::string& what) const;

 private:
  explicit ArchiveReader(ByteSource& source) : source_(source) {}
  Result<void> read_header();
  // The next n bytes, behind those in frame_. Grows it as they come, not as they are promised.
  Result<void> append(uint64_t n);
  Result<Frame> trailer(ByteView payload);

  ByteSource& source_;
  ArchiveHeader header_;
  Bytes frame_;
  uint64_t frame_at_ = 0;  // its place in the file
  uint32_t rows_ = 0;
  uint32_t raw_check_ = 0;
  uint64_t total_ = 0;
  uint64_t final_total_ = 0;  // as the trailer has it
  uint64_t records_ = 0;
  uint64_t read_ = 0;
};

}  // namespace vestige
