// A raw trace to a .vcz stream, block by block, whatever lies at the two ends. Memory is one block
// and what the codec keeps, however long the trace.
//
// Thread safety: one thread; the codec may use more inside.
#pragma once

#include "archive/archive_header.h"
#include "archive/byte_stream.h"
#include "archive/codec_set.h"
#include "vestige/compress.h"

namespace vestige {

class Compression {
 public:
  // Settles the codec and the format (looking at the first bytes when it must guess) and reads the
  // preamble. Fails on wrong use and when the source does. `source` must outlive it.
  static Result<Compression> open(ByteSource& source, const CompressOptions& options,
                                  const CodecSet& codecs);
  Result<CompressReport> run(ByteSink& sink);

 private:
  explicit Compression(ByteSource& source) : source_(source) {}
  // Reads up to a block of rows into raw_; gives the bytes.
  Result<size_t> read_block();
  void explain(CompressReport& report) const;

  PeekSource source_;
  ArchiveHeader header_;
  std::unique_ptr<RecordEncoder> encoder_;
  decltype(CompressOptions::progress) progress_;
  Bytes raw_;
};

}  // namespace vestige
