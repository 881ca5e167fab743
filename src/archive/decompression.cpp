#include "archive/decompression.h"

#include "archive/columns.h"

namespace vestige {

Result<Decompression> Decompression::open(ByteSource& source, const DecompressOptions& options,
                                          const CodecSet& codecs) {
  Decompression self;
  auto reader = ArchiveReader::open(source);
  if (!reader) return std::unexpected(reader.error());
  self.reader_ = std::move(*reader);
  const ArchiveHeader& header = self.reader_->header();
  auto decoder = codecs.decoder(header.codec, header.layout, header.parameters,
                                codec_threads(options.threads));
  if (!decoder) {
    const ErrorKind kind = decoder.error().kind == ErrorKind::unsupported ? ErrorKind::unsupported
                                                                          : ErrorKind::corrupt;
    return fail(kind, source.name() + ": " + decoder.error().message);
  }
  self.decoder_ = std::move(*decoder);
  self.progress_ = options.progress;
  self.source_size_ = source.size();
  return self;
}

Result<uint32_t> Decompression::next_rows() {
  const auto frame = reader_->next();
  if (!frame) return std::unexpected(frame.error());
  if (frame->rows == 0) {
    raw_.assign(frame->payload.begin(), frame->payload.end());
  } else {
    const RecordLayout& layout = reader_->header().layout;
    block_.rows = frame->rows;
    if (const auto decoded = decoder_->decode(frame->payload, block_); !decoded)
      return reader_->damaged(decoded.error().message);
    bool whole = block_.rows == frame->rows && block_.columns.size() == layout.fields.size();
    for (const auto& column : block_.columns) whole = whole && column.size() == block_.rows;
    if (!whole) return reader_->damaged("the block does not have the rows it should");
    merge_rows(layout, block_, raw_);
  }
  if (const auto confirmed = reader_->confirm(raw_); !confirmed)
    return std::unexpected(confirmed.error());
  return frame->rows;
}

Result<DecompressReport> Decompression::run(ByteSink& sink) {
  DecompressReport report;
  const ArchiveHeader& header = reader_->header();
  report.codec = header.codec_name;
  report.format = header.format_name;
  const auto write = [&](const Bytes& bytes) {
    report.out += bytes.size();
    return sink.write(bytes);
  };
  if (const auto written = write(header.preamble); !written)
    return std::unexpected(written.error());
  const auto note = [&](const Error& error) -> Result<void> {
    if (error.kind == ErrorKind::io) return std::unexpected(error);
    report.problem = error.message;
    return {};
  };
  Result<void> read;
  for (bool more = true; more;) {
    const auto rows = next_rows();
    more = rows && *rows > 0;
    if (!rows) {
      read = note(rows.error());
    } else {
      if (const auto written = write(raw_); !written) return std::unexpected(written.error());
      report.records += *rows;
      if (*rows == 0)
        if (const auto ended = reader_->expect_end(); !ended) read = note(ended.error());
    }
    if (progress_) progress_(reader_->bytes_read(), report.out, source_size_);
  }
  report.in = reader_->bytes_read();
  if (!read) return std::unexpected(read.error());
  return report;
}

}  // namespace vestige
