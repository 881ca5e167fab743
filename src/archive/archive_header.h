// The .vcz file on disk, frozen: docs/codecs.md is the specification, this header its C++ spelling.
// Little-endian; varint and string as in docs/format.md.
//
//   file      header section* trailer directory
//   header    magic[8] u16 major u16 minor u32 size description[size] u64 checksum of all before it
//   section   block+, the first of which has kRestart set in its rows: the codec begins anew there
//   block     u32 rows > 0, u32 size, payload[size], u32 frame check, u32 raw check
//   trailer   u32 0, u32 size, u64 records, u64 total, tail[size − 16], u32 frame check,
//             u32 raw check
//   directory archive_directory.h
//
// The frame check is the low half of the checksum of the frame's bytes before it. The raw check is
// the low half of the running total behind the block. A section's total starts as
// checksum(u64 header's checksum ‖ u64 records before the section), and a block makes it
// checksum(u64 total ‖ u64 checksum(raw rows of the block)). So a block passes only behind the
// blocks of its section that it was written behind, at the record and in the file it was written
// to, and a section can be checked without those before it. What binds the sections is the chain:
// the header's checksum, then checksum(u64 chain ‖ u64 section's total) for each; the tail makes of
// it, like a block, what the trailer's total and raw check are.
//
// Version 1 had one section, without the mark, whose total started as the header's checksum and
// went on through the tail, no directory, and no bounds in the description.
#pragma once

#include <algorithm>

#include "archive/trace_format.h"
#include "base/checksum.h"

namespace vestige {

inline constexpr uint8_t kArchiveMagic[8] = {0x89, 'V', 'C', 'Z', '\r', '\n', 0x1a, '\n'};
inline constexpr uint16_t kArchiveMajor = 2;  // readers refuse later ones
// Readers ignore what follows the description's fields.
inline constexpr uint16_t kArchiveMinor = 0;
inline constexpr size_t kArchivePrefix = 16;  // magic, version, size
inline constexpr size_t kMaxDescription = 1 << 24;
inline constexpr uint32_t kRestart = uint32_t{1} << 31;  // in a block's rows

// Bounds what a hostile file can make a reader allocate: values of a block (8 bytes each in
// memory), and its payload against its raw bytes.
inline constexpr uint64_t kMaxBlockValues = 1 << 24;
inline constexpr uint64_t max_payload(uint64_t raw_bytes) { return 8 * raw_bytes + (1 << 20); }

// The description: u8 codec, string codec name, string format name, varint preamble bytes,
// preamble, varint fields, each u8 width, u8 flags (1: the PC), string name; varint block rows,
// varint parameter bytes, parameters; for each field varint, how far its values may be from those
// of the raw trace.
struct ArchiveHeader {
  uint16_t major = kArchiveMajor;  // encode() writes no other
  RecordCodec codec{};
  std::string codec_name;   // for people: "sequitur", "vpc2" …
  std::string format_name;  // for people
  Bytes preamble;           // the raw trace's first bytes
  RecordLayout layout;
  uint32_t block_rows = 0;       // no block has more
  Bytes parameters;              // the codec's own
  std::vector<uint64_t> errors;  // by field; empty: all values are exact

  bool lossy() const {
    return std::ranges::any_of(errors, [](uint64_t e) { return e != 0; });
  }
  Bytes encode() const;  // the whole header; its last 8 bytes are its checksum
  static Result<ArchiveHeader> decode_description(ByteView description, uint16_t major);
};

// The most rows a block of this layout may have.
inline uint32_t max_block_rows(const RecordLayout& layout) {
  return static_cast<uint32_t>(kMaxBlockValues / layout.fields.size());
}

inline uint64_t fold_numbers(uint64_t total, uint64_t number) {
  const uint64_t pair[2] = {total, number};
  return checksum({reinterpret_cast<const uint8_t*>(pair), sizeof pair});
}
inline uint64_t fold_checksum(uint64_t total, ByteView raw) {
  return fold_numbers(total, checksum(raw));
}

}  // namespace vestige
