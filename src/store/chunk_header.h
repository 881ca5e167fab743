// Making and checking the header in front of every chunk. Shared by writer, reader and recovery.
#pragma once

#include <optional>

#include "base/bytes.h"
#include "store/format.h"

namespace vestige {

using TraceId = uint8_t[16];

uint64_t header_checksum(const format::ChunkHeader& header, const TraceId& trace_id);
format::ChunkHeader make_header(format::ChunkKind kind, ByteView payload, uint64_t sequence,
                                const TraceId& trace_id);
// The header at `offset` of a file's bytes, when one is there that belongs to this trace and whose
// payload lies within the file. The payload's own checksum is not looked at.
std::optional<format::ChunkHeader> read_header(ByteView file, uint64_t offset,
                                               const TraceId& trace_id);
uint64_t file_header_checksum(const format::FileHeader& header);
uint64_t trailer_checksum(const format::Trailer& trailer);

// Chunks begin at multiples of 8.
inline uint64_t padded(uint64_t size) { return (size + 7) & ~uint64_t{7}; }

}  // namespace vestige
