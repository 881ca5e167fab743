// A raw trace to a .vcz stream, block by block, whatever lies at the two ends. Memory is one block
// and what the codec keeps, however long the trace.
//
// Thread safety: one thread; the codec may use more inside.
#pragma once

#include <optional>

#include "archive/archive_header.h"
#include "archive/byte_stream.h"
#include "archive/codec_set.h"
#include "archive/section_plan.h"
#include "vestige/compress.h"

namespace vestige {

class Compression {
 public:
  // Settles the codec and the format (looking at the first bytes when it must guess) and reads the
  // preamble. Fails on wrong use and when the source does. `source` must outlive it. `plan`: in the
  // place of what the options say.
  static Result<Compression> open(ByteSource& source, const CompressOptions& options,
                                  const CodecSet& codecs,
                                  std::optional<SectionPlan> plan = std::nullopt);
  Result<CompressReport> run(ByteSink& sink);

 private:
  Compression(ByteSource& source, const CodecSet& codecs) : source_(source), codecs_(codecs) {}
  // How many rows come before the trace's last section; SectionPlan::kNever when that is not in
  // sight.
  Result<uint64_t> before_last(uint64_t done);
  // Reads up to so many rows into raw_; gives the bytes.
  Result<size_t> read_block(uint64_t rows);
  // The encoder for the next section.
  Result<void> restart();
  // Adds what the encoder of a section knows to what is reported.
  void explain();

  PeekSource source_;
  ArchiveHeader header_;
  CodecSet codecs_;
  RecordCodecOptions codec_options_;
  std::unique_ptr<RecordEncoder> encoder_;
  SectionPlan plan_;
  std::vector<PredictorReport> predictors_;
  decltype(CompressOptions::progress) progress_;
  Bytes raw_;
  Bytes rounded_;  // rows as they are kept, where some of their fields are not exact
};

}  // namespace vestige
