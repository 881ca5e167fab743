// The .vcz file on disk, frozen: docs/codecs.md is the specification, this header its C++ spelling.
// Little-endian; varint and string as in docs/format.md.
//
//   file    header block* trailer
//   header  magic[8] u16 major u16 minor u32 size description[size] u64 checksum of all before it
//   block   u32 rows > 0, u32 size, payload[size], u32 frame check, u32 raw check
//   trailer u32 0, u32 size, u64 records, u64 total, tail[size − 16], u32 frame check,
//           u32 raw check
//
// The frame check is the low half of the checksum of the frame's bytes before it. The raw check is
// the low half of the running total behind the block: the total starts as the header's checksum and
// becomes checksum(u64 total ‖ u64 checksum(raw rows of the block)); the tail counts as the last
// block. So a block passes only behind the blocks it was written behind, in the file it was written
// to.
#pragma once

#include "archive/trace_format.h"
#include "base/checksum.h"

namespace vestige {

inline constexpr uint8_t kArchiveMagic[8] = {0x89, 'V', 'C', 'Z', '\r', '\n', 0x1a, '\n'};
inline constexpr uint16_t kArchiveMajor = 1;  // readers refuse another
// Readers ignore what follows the description's fields.
inline constexpr uint16_t kArchiveMinor = 0;
inline constexpr size_t kArchivePrefix = 16;  // magic, version, size
inline constexpr size_t kMaxDescription = 1 << 24;

// Bounds what a hostile file can make a reader allocate: values of a block (8 bytes each in
// memory), and its payload against its raw bytes.
inline constexpr uint64_t kMaxBlockValues = 1 << 24;
inline constexpr uint64_t max_payload(uint64_t raw_bytes) { return 8 * raw_bytes + (1 << 20); }

// The description: u8 codec, string codec name, string format name, varint preamble bytes,
// preamble, varint fields, each u8 width, u8 flags (1: the PC), string name; varint block rows,
// varint parameter bytes, parameters.
struct ArchiveHeader {
  RecordCodec codec{};
  std::string codec_name;   // for people: "sequitur", "vpc2" …
  std::string format_name;  // for people
  Bytes preamble;           // the raw trace's first bytes
  RecordLayout layout;
  uint32_t block_rows = 0;  // no block has more
  Bytes parameters;         // the codec's own

  Bytes encode() const;  // the whole header; its last 8 bytes are its checksum
  static Result<ArchiveHeader> decode_description(ByteView description);
};

// The most rows a block of this layout may have.
inline uint32_t max_block_rows(const RecordLayout& layout) {
  return static_cast<uint32_t>(kMaxBlockValues / layout.fields.size());
}

inline uint64_t fold_checksum(uint64_t total, ByteView raw) {
  const uint64_t pair[2] = {total, checksum(raw)};
  return checksum({reinterpret_cast<const uint8_t*>(pair), sizeof pair});
}

}  // namespace vestige
