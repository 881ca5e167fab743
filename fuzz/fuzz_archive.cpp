// Hostile bytes for decompress. The first byte says how to take the rest:
//   0  as a file
//   1  as the description of a header, u16 length in front, then frames: both get the checksums
//      they need, so that what lies behind those is reached
//   2  as u8 codec, u8 layout, u8 parameter bytes, parameters, then blocks for that codec's decoder
//      (u16 rows, u16 length, payload): behind the container's last check, too
#include <algorithm>

#include "archive/archive_writer.h"
#include "archive/decompression.h"
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

Bytes with_checksums(ByteReader in) {
  ByteWriter file;
  const ByteView description = in.bytes(std::min<size_t>(in.u16(), in.remaining()));
  file.bytes(kArchiveMagic);
  file.u16(kArchiveMajor);
  file.u16(kArchiveMinor);
  file.u32(static_cast<uint32_t>(description.size()));
  file.bytes(description);
  file.u64(checksum(file.buffer()));
  while (!in.failed() && in.remaining() > 0) {
    const size_t begin = file.size();
    const uint16_t rows = in.u16() % kMostRows;
    const ByteView payload = in.bytes(std::min<size_t>(in.u16(), in.remaining()));
    file.u32(rows);
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
  switch (kind % 3) {
    case 0:
      use_file(rest);
      break;
    case 1:
      use_file(with_checksums(ByteReader(rest)));
      break;
    default:
      use_decoder(ByteReader(rest));
      break;
  }
}

}  // namespace vestige
