#include "archive/block_reader.h"

#include "archive/columns.h"

namespace vestige {

Result<BlockReader> BlockReader::open(ByteSource& source, const CodecSet& codecs,
                                      unsigned threads) {
  BlockReader self(codecs, threads);
  auto archive = ArchiveReader::open(source);
  if (!archive) return std::unexpected(archive.error());
  self.archive_ = std::move(*archive);
  // Parameters that no decoder takes are the header's fault, not the first block's.
  if (Result<void> begun = self.begin_section(); !begun) {
    const Error& error = begun.error();
    const ErrorKind kind =
        error.kind == ErrorKind::unsupported ? ErrorKind::unsupported : ErrorKind::corrupt;
    return fail(kind, source.name() + ": " + error.message);
  }
  return self;
}

Result<BlockReader> BlockReader::at_section(const ByteSource& source, const ArchiveSection& section,
                                            unsigned threads) const {
  BlockReader self(codecs_, threads);
  self.part_ = source.from(section.at);
  if (!self.part_) return fail(ErrorKind::io, source.name() + " can be read from its start only");
  self.archive_ = ArchiveReader::resume(*self.part_, *archive_, section);
  return self;
}

Result<void> BlockReader::begin_section() {
  auto decoder = codecs_.decoder(header().codec, header().layout, header().parameters, threads_);
  if (!decoder) return std::unexpected(decoder.error());
  decoder_ = std::move(*decoder);
  return {};
}

Result<uint32_t> BlockReader::next() {
  const uint64_t before = archive_->records();
  const auto frame = archive_->next();
  if (!frame) return std::unexpected(frame.error());
  if (frame->rows == 0) {
    raw_.assign(frame->payload.begin(), frame->payload.end());
  } else {
    // The decoder that open() made is as good as new for the first section.
    if (frame->restarts && (before > 0 || !decoder_))
      if (Result<void> begun = begin_section(); !begun)
        return archive_->damaged(begun.error().message);
    const RecordLayout& layout = header().layout;
    block_.rows = frame->rows;
    if (const auto decoded = decoder_->decode(frame->payload, block_); !decoded)
      return archive_->damaged(decoded.error().message);
    bool whole = block_.rows == frame->rows && block_.columns.size() == layout.fields.size();
    for (const auto& column : block_.columns) whole = whole && column.size() == block_.rows;
    if (!whole) return archive_->damaged("the block does not have the rows it should");
    merge_rows(layout, block_, raw_);
  }
  if (const auto confirmed = archive_->confirm(raw_); !confirmed)
    return std::unexpected(confirmed.error());
  return frame->rows;
}

}  // namespace vestige
