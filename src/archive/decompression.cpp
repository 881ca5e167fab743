#include "archive/decompression.h"

#include "archive/error_bounds.h"
#include "archive/record_cursor.h"
#include "archive/sections_in_order.h"

namespace vestige {

Result<Decompression> Decompression::open(ByteSource& source, const DecompressOptions& options,
                                          const CodecSet& codecs) {
  auto reader = BlockReader::open(source, codecs, decoding_threads(options.threads));
  if (!reader) return std::unexpected(reader.error());
  return Decompression(source, options, std::move(*reader));
}

Result<void> Decompression::write(ByteSink& sink, ByteView bytes, uint64_t records) {
  if (Result<void> written = sink.write(bytes); !written) {
    sink_failed_ = true;
    return written;
  }
  report_.out += bytes.size();
  report_.records += records;
  return {};
}

void Decompression::tell(uint64_t read) {
  report_.in = read;
  if (options_.progress) options_.progress(read, report_.out, source_.size());
}

Result<void> Decompression::run_in_order(ByteSink& sink) {
  if (Result<void> written = write(sink, reader_.header().preamble, 0); !written) return written;
  for (;;) {
    const auto rows = reader_.next();
    tell(reader_.archive().bytes_read());
    if (!rows) return std::unexpected(rows.error());
    if (Result<void> written = write(sink, reader_.raw(), *rows); !written) return written;
    if (*rows == 0) break;
  }
  const Result<void> ended = reader_.archive().expect_end();
  tell(reader_.archive().bytes_read());
  return ended;
}

Result<void> Decompression::run_side_by_side(ByteSink& sink, const ArchiveDirectory& directory) {
  if (Result<void> written = write(sink, reader_.header().preamble, 0); !written) return written;
  SectionsInOrder sections(source_, reader_, directory, decoding_threads(options_.threads));
  const auto chain = sections.run([&](uint32_t rows, ByteView raw, uint64_t at) {
    Result<void> written = write(sink, raw, rows);
    tell(at);
    return written;
  });
  if (!chain) return std::unexpected(chain.error());
  const auto part = source_.from(directory.end);
  const auto trailer =
      ArchiveReader::resume_at_trailer(*part, reader_.archive(), directory, *chain);
  const auto frame = trailer->next();
  if (!frame) return std::unexpected(frame.error());
  if (frame->rows != 0) return trailer->damaged("the directory does not fit the blocks");
  const Bytes tail(frame->payload.begin(), frame->payload.end());
  if (Result<void> confirmed = trailer->confirm(tail); !confirmed) return confirmed;
  if (Result<void> written = write(sink, tail, 0); !written) return written;
  const Result<void> ended = trailer->expect_end();
  tell(trailer->bytes_read());
  return ended;
}

Result<void> Decompression::run_range(ByteSink& sink) {
  auto cursor = RecordCursor::over(source_, std::move(reader_));
  if (!cursor) return std::unexpected(cursor.error());
  report_.found_by = name_of(cursor->way());
  if (Result<void> sought = cursor->seek(options_.from - 1); !sought) return sought;
  uint64_t left = options_.count == 0 ? UINT64_MAX : options_.count;
  const size_t width = cursor->header().layout.width();
  while (left > 0) {
    const auto rows = cursor->read(left);
    if (!rows) return std::unexpected(rows.error());
    if (rows->empty()) break;
    left -= rows->size() / width;
    if (Result<void> written = write(sink, *rows, rows->size() / width); !written) return written;
    tell(cursor->bytes_read());
  }
  tell(cursor->bytes_read());
  return {};
}

Result<DecompressReport> Decompression::run(ByteSink& sink) {
  const ArchiveHeader& header = reader_.header();
  report_.codec = header.codec_name;
  report_.format = header.format_name;
  report_.errors = bounds_by_name(header.layout, header.errors);
  Result<void> done;
  if (options_.from > 0) {
    done = run_range(sink);
  } else {
    std::optional<ArchiveDirectory> directory;
    if (header.major > 1 && decoding_threads(options_.threads) > 1) {
      auto found = find_directory(source_, reader_.archive().header_bytes());
      if (!found) return std::unexpected(found.error());
      directory = std::move(*found);
    }
    done = directory && directory->sections.size() > 1 ? run_side_by_side(sink, *directory)
                                                       : run_in_order(sink);
  }
  if (!done) {
    if (sink_failed_ || done.error().kind == ErrorKind::io || done.error().kind == ErrorKind::usage)
      return std::unexpected(done.error());
    report_.problem = done.error().message;
  }
  return report_;
}

}  // namespace vestige
