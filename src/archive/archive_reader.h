// Reads a .vcz file front to back (archive_header.h has the grammar), checking every frame before
// it is handed out.
//
// Errors of kind corrupt and unsupported name the file and the byte they are about; those of kind
// io come from the source. After a failure nothing more may be called. Thread safety: one thread.
#pragma once

#include <memory>

#include "archive/archive_directory.h"

namespace vestige {

class ArchiveReader {
 public:
  // Reads the header. The source must outlive the reader.
  static Result<std::unique_ptr<ArchiveReader>> open(ByteSource& source);

  // Goes on where a section begins, in a source that begins there. Of what stands before it nothing
  // is known, so the trailer is not to be read.
  static std::unique_ptr<ArchiveReader> resume(ByteSource& source, const ArchiveReader& opened,
                                               const ArchiveSection& section);
  // Goes on at the trailer, behind sections that make the chain.
  static std::unique_ptr<ArchiveReader> resume_at_trailer(ByteSource& source,
                                                          const ArchiveReader& opened,
                                                          ArchiveDirectory passed, uint64_t chain);

  const ArchiveHeader& header() const { return header_; }
  uint64_t header_bytes() const { return header_bytes_; }
  uint64_t header_check() const { return header_check_; }

  struct Frame {
    uint32_t rows = 0;      // 0: the trailer
    bool restarts = false;  // the block begins a section
    ByteView payload;       // of a block, until the next call; of the trailer, the tail
  };
  Result<Frame> next();
  // To be told the rows of each block, then the tail, as they came out: fails when they are not the
  // ones that went in, or the trailer counts others.
  Result<void> confirm(ByteView raw);
  // Behind the trailer: fails when the directory is not the one it should be, or more follows.
  Result<void> expect_end();

  uint64_t bytes_read() const { return read_; }  // the place in the file
  uint64_t records() const { return records_; }
  // Of the section that the last block stands in: the records before it, and its total so far.
  uint64_t section_first() const { return section_first_; }
  uint64_t section_total() const { return total_; }
  // An error about the frame that was read last.
  std::unexpected<Error> damaged(const std::string& what) const;

 private:
  explicit ArchiveReader(ByteSource& source) : source_(source) {}
  Result<void> read_header();
  // The next n bytes, behind those in frame_. Grows it as they come, not as they are promised.
  Result<void> append(uint64_t n);
  Result<Frame> trailer(ByteView payload);
  Result<void> expect_directory();
  bool has_sections() const { return header_.major > 1; }

  ByteSource& source_;
  ArchiveHeader header_;
  Bytes frame_;
  uint64_t frame_at_ = 0;  // its place in the file
  uint64_t header_bytes_ = 0;
  uint64_t header_check_ = 0;
  uint32_t rows_ = 0;
  uint32_t raw_check_ = 0;
  bool in_section_ = false;  // a block was read
  uint64_t section_first_ = 0;
  uint64_t chain_ = 0;
  uint64_t total_ = 0;  // of the section; in version 1, of all
  ArchiveDirectory passed_;
  uint64_t final_total_ = 0;  // as the trailer has it
  uint64_t records_ = 0;
  uint64_t read_ = 0;
};

}  // namespace vestige
