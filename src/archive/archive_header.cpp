#include "archive/archive_header.h"

namespace vestige {
namespace {

constexpr uint8_t kPcFlag = 1;

uint64_t most_of(unsigned width) { return ~uint64_t{0} >> (64 - 8 * width); }

std::unexpected<Error> bad(const char* what) {
  return fail(ErrorKind::corrupt, std::string("the header ") + what);
}

}  // namespace

Bytes ArchiveHeader::encode() const {
  ByteWriter description;
  description.u8(static_cast<uint8_t>(codec));
  description.string(codec_name);
  description.string(format_name);
  description.varint(preamble.size());
  description.bytes(preamble);
  description.varint(layout.fields.size());
  for (const RecordField& field : layout.fields) {
    description.u8(field.width);
    description.u8(field.is_pc ? kPcFlag : 0);
    description.string(field.name);
  }
  description.varint(block_rows);
  description.varint(parameters.size());
  description.bytes(parameters);
  for (size_t f = 0; f < layout.fields.size(); ++f)
    description.varint(errors.empty() ? 0 : errors[f]);
  ByteWriter out;
  out.bytes(kArchiveMagic);
  out.u16(kArchiveMajor);
  out.u16(kArchiveMinor);
  out.u32(static_cast<uint32_t>(description.size()));
  out.bytes(description.buffer());
  out.u64(checksum(out.buffer()));
  return out.take();
}

Result<ArchiveHeader> ArchiveHeader::decode_description(ByteView description, uint16_t major) {
  ByteReader in(description);
  ArchiveHeader header;
  header.major = major;
  header.codec = static_cast<RecordCodec>(in.u8());
  header.codec_name = in.string();
  header.format_name = in.string();
  const ByteView preamble = in.bytes(in.varint());
  header.preamble.assign(preamble.begin(), preamble.end());
  const size_t fields = in.count(3);
  if (in.failed() || fields == 0 || fields > kMaxFields)
    return bad("names no fields, or too many of them");
  bool has_pc = false;
  for (size_t i = 0; i < fields; ++i) {
    RecordField field;
    field.width = in.u8();
    const uint8_t flags = in.u8();
    field.name = in.string();
    field.is_pc = flags & kPcFlag;
    if (field.width < 1 || field.width > 8) return bad("has a field that is not 1 to 8 bytes wide");
    if (flags > kPcFlag || (field.is_pc && has_pc)) return bad("marks a field in an unknown way");
    has_pc |= field.is_pc;
    header.layout.fields.push_back(std::move(field));
  }
  header.block_rows = in.varint32();
  const ByteView parameters = in.bytes(in.varint());
  header.parameters.assign(parameters.begin(), parameters.end());
  if (major > 1)
    for (size_t f = 0; f < fields; ++f) header.errors.push_back(in.varint());
  if (in.failed()) return bad("is shorter than what it describes");
  if (header.block_rows == 0 || header.block_rows > max_block_rows(header.layout))
    return bad("allows blocks of an impossible size");
  for (size_t f = 0; f < header.errors.size(); ++f)
    if (header.errors[f] > most_of(header.layout.fields[f].width))
      return bad("allows an error wider than its field");
  return header;
}

}  // namespace vestige
