// Hostile bytes for decompress. The first byte says how to take the rest:
//   0  as a file
//   1  as the description of a header, u16 length in front, then frames: both get the checksums
//      they need, so that what lies behind those is reached; a section begins where the length's
//      highest bit is set
//   2  as u8 codec, u8 layout, u8 parameter bytes, parameters, then blocks for that codec's decoder
//      (u16 rows, u16 length, payload): behind the container's last check, too
//   3  as the content of a directory; what it says is looked up, and read from the sample archive
//      that it is put behind
#include <algorithm>

#include "archive/archive_writer.h"
#include "archive/compression.h"
#include "archive/decompression.h"
#include "archive/record_cursor.h"
#include "kinds.h"

namespace vestige {
namespace {

constexpr size_t kMostRows = 5000;  // larger blocks are slow, and all alike

class CountingSink final : public ByteSink {
 public:
  Result<void> write(ByteView bytes) override {
    size += bytes.size();
    return {};
  }
  uint64_t size = 0;
};

void use_file(ByteView file) {
  MemorySource source(file);
  DecompressOptions options;
  options.threads = 1;
  auto decompression = Decompression::open(source, options, registered_codecs());
  if (!decompression) {
    require(!decompression.error().message.empty(), "an error without a word");
    return;
  }
  CountingSink sink;
  const auto report = decompression->run(sink);
  require(report.has_value(), "memory that cannot be read");
  require(report->out == sink.size, "the count of what was written");
}

// Where the file's blocks are sections, side by side and from the middle.
void use_sections(ByteView file) {
  MemorySource source(file);
  DecompressOptions options;
  options.threads = 2;
  if (auto side_by_side = Decompression::open(source, options, registered_codecs())) {
    CountingSink sink;
    require(side_by_side->run(sink).has_value(), "memory that cannot be read");
  }
  MemorySource again(file);
  auto cursor = RecordCursor::open(again, registered_codecs(), 1);
  if (!cursor || !cursor->records()) return;
  const size_t width = cursor->header().layout.width();
  for (const uint64_t part : {3, 1, 2}) {
    if (!cursor->seek(*cursor->records() * part / 4)) continue;
    const auto rows = cursor->read(10);
    if (rows) require(rows->size() <= 10 * width && rows->size() % width == 0, "whole rows");
  }
}

// A small archive of a few sections with a directory that may say anything.
void use_directory(ByteView content) {
  static const Bytes archive = [] {
    const Bytes raw(4 + 12 * 100, 7);
    MemorySource source(raw);
    CompressOptions options;
    options.format = "vpc";
    options.level = 1;
    options.section = 20;
    auto compression = Compression::open(source, options, registered_codecs());
    MemorySink sink;
    require(compression && compression->run(sink), "a sample that cannot be compressed");
    return sink.bytes();
  }();
  uint64_t at = 0;
  std::memcpy(&at, archive.data() + archive.size() - 16, sizeof at);
  ByteWriter file;
  file.bytes(ByteView(archive).first(at));
  const size_t begin = file.size();
  file.u32(static_cast<uint32_t>(content.size()));
  file.bytes(content);
  file.u32(static_cast<uint32_t>(checksum(ByteView(file.buffer()).subspan(begin))));
  file.u64(at);
  file.bytes(kDirectoryMagic);
  use_file(file.buffer());
  use_sections(file.buffer());
}

Bytes with_checksums(ByteReader in) {
  ByteWriter file;
  const ByteView description = in.bytes(std::min<size_t>(in.u16(), in.remaining()));
  file.bytes(kArchiveMagic);
  file.u16(kArchiveMajor);
  file.u16(kArchiveMinor);
  file.u32(static_cast<uint32_t>(description.size()));
  file.bytes(description);
  file.u64(checksum(file.buffer()));
  for (bool first = true; !in.failed() && in.remaining() > 0; first = false) {
    const size_t begin = file.size();
    const uint16_t rows = in.u16() % kMostRows;
    const uint16_t length = in.u16();
    const ByteView payload = in.bytes(std::min<size_t>(length & 0x7fff, in.remaining()));
    const bool restarts = rows > 0 && (first || length & 0x8000);
    file.u32(restarts ? rows | kRestart : rows);
    file.u32(static_cast<uint32_t>(payload.size()));
    file.bytes(payload);
    file.u32(static_cast<uint32_t>(checksum(ByteView(file.buffer()).subspan(begin))));
    file.u32(0);
  }
  return file.take();
}

void use_decoder(ByteReader in) {
  constexpr const char* kFormats[] = {"vpc", "cf", "refs", "u64", "record:1,3,pc:2", "u8"};
  const auto codec = static_cast<RecordCodec>(in.u8());
  const RecordLayout layout = parse_trace_format(kFormats[in.u8() % std::size(kFormats)])->layout;
  const ByteView parameters = in.bytes(std::min<size_t>(in.u8(), in.remaining()));
  const auto decoder = make_record_decoder(codec, layout, parameters, 1);
  if (!decoder) return;
  RecordBlock block;
  while (!in.failed() && in.remaining() > 0) {
    block.rows = 1 + in.u16() % kMostRows;
    const ByteView payload = in.bytes(std::min<size_t>(in.u16(), in.remaining()));
    const size_t rows = block.rows;
    if (!(*decoder)->decode(payload, block)) return;
    require(block.rows == rows && block.columns.size() == layout.fields.size(), "a block's shape");
    for (size_t f = 0; f < layout.fields.size(); ++f)
      require(block.columns[f].size() == rows, "a column's length");
  }
}

}  // namespace

void use_input(uint8_t kind, ByteView rest) {
  switch (kind % 4) {
    case 0:
      use_file(rest);
      use_sections(rest);
      break;
    case 1:
      use_file(with_checksums(ByteReader(rest)));
      break;
    case 2:
      use_decoder(ByteReader(rest));
      break;
    default:
      use_directory(rest);
      break;
  }
}

}  // namespace vestige
