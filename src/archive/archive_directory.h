// Where the sections of a .vcz file begin, so that reading can: behind the trailer, written last,
// found from the file's end.
//
//   directory := u32 size, content[size], u32 check, u64 at, magic[8]
//   content   := varint records, varint trailer, varint sections,
//                (varint byte, varint record) for each section
//
// `trailer` is the trailer's first byte, `at` the directory's own; bytes count from the header's
// first. A section's byte and record (how many stand before it) are given as differences from the
// section before, the first section's from 0. The check is the low half of the checksum of size and
// content.
//
// The directory only says what the blocks say too: a reader that finds none, or a damaged one,
// walks from block to block.
#pragma once

#include <optional>

#include "archive/archive_header.h"
#include "archive/byte_stream.h"

namespace vestige {

inline constexpr uint8_t kDirectoryMagic[8] = {0x89, 'V', 'C', 'Z', 'd', 'i', 'r', '\n'};
inline constexpr size_t kDirectoryEnds = 4 + 4 + 8 + 8;    // all but the content
inline constexpr size_t kMaxDirectory = size_t{64} << 20;  // content; a larger one is not looked at
inline constexpr size_t kLeastBlock = 16;

struct ArchiveSection {
  uint64_t at = 0;     // its first byte
  uint64_t first = 0;  // records before it
  bool operator==(const ArchiveSection&) const = default;
};

struct ArchiveDirectory {
  std::vector<ArchiveSection> sections;  // ascending in both
  uint64_t records = 0;
  uint64_t end = 0;   // the trailer's first byte; of a file that is cut short, where the blocks end
  bool whole = true;  // false: found by walking, and the walk did not reach a trailer

  // The bytes of a directory that begins at byte `at`.
  Bytes encode(uint64_t at) const;
  // Content whose sections lie between a header of `header_bytes` and the trailer, in order.
  // Corrupt otherwise.
  static Result<ArchiveDirectory> decode(ByteView content, uint64_t header_bytes);
  // The section that holds a record, counted from 0. There must be one.
  size_t section_of(uint64_t record) const;
  // How many records section s has, and its last byte's successor.
  uint64_t records_of(size_t s) const;
  uint64_t end_of(size_t s) const;
};

// The directory at a file's end; nothing when there is none that is sound, or the source gives no
// bytes but in order. Fails when the source does.
Result<std::optional<ArchiveDirectory>> find_directory(const ByteSource& source,
                                                       uint64_t header_bytes);
// What the heads of all blocks say; payloads are not read. Ends before the first block that is not
// there, or cannot be one. The source must give bytes out of order.
Result<ArchiveDirectory> walk_blocks(const ByteSource& source, const ArchiveHeader& header,
                                     uint64_t header_bytes);

}  // namespace vestige
