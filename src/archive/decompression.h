// A .vcz stream to the raw trace, block by block, whatever lies at the two ends. Memory is one
// block and what the codec keeps, however long the trace.
//
// Thread safety: one thread; the codec may use more inside.
#pragma once

#include "archive/archive_reader.h"
#include "archive/codec_set.h"
#include "vestige/compress.h"

namespace vestige {

class Decompression {
 public:
  // Reads the header. `source` must outlive it.
  static Result<Decompression> open(ByteSource& source, const DecompressOptions& options,
                                    const CodecSet& codecs);
  // A damaged or missing block ends the output, with report.problem set; what was written until
  // then is right. Fails when source or sink do.
  Result<DecompressReport> run(ByteSink& sink);

 private:
  Decompression() = default;
  // The rows of the next block in raw_, or the tail (rows 0), checked.
  Result<uint32_t> next_rows();

  std::unique_ptr<ArchiveReader> reader_;
  std::unique_ptr<RecordDecoder> decoder_;
  decltype(DecompressOptions::progress) progress_;
  uint64_t source_size_ = 0;
  RecordBlock block_;
  Bytes raw_;
};

}  // namespace vestige
