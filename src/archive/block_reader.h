// The rows of a .vcz stream, block by block: reads, decodes and checks. What follows depends on
// nothing before the section it stands in, so reading can begin at any section.
//
// Errors of kind corrupt name the file and the byte. After a failure nothing more may be called.
// Thread safety: one thread; the codec may use more inside.
#pragma once

#include "archive/archive_reader.h"
#include "archive/codec_set.h"

namespace vestige {

class BlockReader {
 public:
  // Reads the header. The source must outlive the reader.
  static Result<BlockReader> open(ByteSource& source, const CodecSet& codecs, unsigned threads);
  // The same file from a section on, through a source of its own. `this` may go on being used, from
  // one thread at a time with this call. Fails when the source gives no bytes out of order.
  Result<BlockReader> at_section(const ByteSource& source, const ArchiveSection& section,
                                 unsigned threads) const;

  // The next block's rows into raw(), and their number; 0: the trailer, and raw() is the tail.
  Result<uint32_t> next();
  const Bytes& raw() const { return raw_; }
  Bytes& raw() { return raw_; }

  unsigned threads() const { return threads_; }
  const ArchiveHeader& header() const { return archive_->header(); }
  ArchiveReader& archive() { return *archive_; }
  const ArchiveReader& archive() const { return *archive_; }

 private:
  BlockReader(const CodecSet& codecs, unsigned threads) : codecs_(codecs), threads_(threads) {}
  Result<void> begin_section();

  CodecSet codecs_;
  unsigned threads_;
  std::unique_ptr<ByteSource> part_;  // of at_section()
  std::unique_ptr<ArchiveReader> archive_;
  std::unique_ptr<RecordDecoder> decoder_;
  RecordBlock block_;
  Bytes raw_;
};

}  // namespace vestige
