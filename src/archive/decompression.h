// A .vcz stream to the raw trace, or to some of its records, whatever lies at the two ends. Memory
// is fixed however long the trace: a block and what the codec keeps, where sections are decoded
// side by side as often as there are threads (sections_in_order.h).
//
// Thread safety: one thread; more are used inside.
#pragma once

#include "archive/block_reader.h"
#include "vestige/compress.h"

namespace vestige {

class Decompression {
 public:
  // Reads the header. `source` must outlive it.
  static Result<Decompression> open(ByteSource& source, const DecompressOptions& options,
                                    const CodecSet& codecs);
  // A damaged or missing block ends the output, with report.problem set; what was written until
  // then is right. Fails when source or sink do, or when there is no record options.from.
  Result<DecompressReport> run(ByteSink& sink);

 private:
  Decompression(ByteSource& source, const DecompressOptions& options, BlockReader reader)
      : source_(source), options_(options), reader_(std::move(reader)) {}
  // Each fills in the report, and fails with what ended the output early.
  Result<void> run_in_order(ByteSink& sink);
  Result<void> run_side_by_side(ByteSink& sink, const ArchiveDirectory& directory);
  Result<void> run_range(ByteSink& sink);
  Result<void> write(ByteSink& sink, ByteView bytes, uint64_t records);
  void tell(uint64_t read);

  ByteSource& source_;
  DecompressOptions options_;
  BlockReader reader_;
  DecompressReport report_;
  bool sink_failed_ = false;
};

}  // namespace vestige
