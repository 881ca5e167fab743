// Writes a .vcz file front to back (archive_header.h has the grammar).
//
// Order of calls: begin, block any number of times, end. After a failure nothing more may be
// called. Thread safety: one thread.
#pragma once

#include "archive/archive_directory.h"
#include "archive/byte_stream.h"

namespace vestige {

class ArchiveWriter {
 public:
  explicit ArchiveWriter(ByteSink& sink) : sink_(sink) {}

  Result<void> begin(const ArchiveHeader& header);
  // `payload` is what the codec made of the `rows` rows in `raw`. `restarts`: the codec began anew
  // with them; as with the first block it must.
  Result<void> block(uint32_t rows, ByteView raw, ByteView payload, bool restarts);
  // `tail`: the raw trace's last bytes, too few for a record. Ends with the directory.
  Result<void> end(ByteView tail);

  uint64_t written() const { return written_; }
  uint64_t records() const { return records_; }

 private:
  Result<void> frame(uint32_t rows, ByteView payload);
  Result<void> put(ByteView bytes);

  ByteSink& sink_;
  ByteWriter frame_;
  ArchiveDirectory directory_;
  uint64_t header_check_ = 0;
  uint64_t chain_ = 0;
  uint64_t total_ = 0;  // of the section
  uint64_t records_ = 0;
  uint64_t written_ = 0;
};

}  // namespace vestige
