#include "store/chunk_header.h"

#include <cstddef>

#include "base/checksum.h"

namespace vestige {

namespace {

// The checksum of a structure's bytes before its last field, which holds that checksum.
template <class T>
uint64_t checksum_before(const T& structure, size_t field) {
  return checksum({reinterpret_cast<const uint8_t*>(&structure), field});
}

}  // namespace

uint64_t header_checksum(const format::ChunkHeader& header, const TraceId& trace_id) {
  constexpr size_t kCovered = offsetof(format::ChunkHeader, header_checksum);
  uint8_t bytes[sizeof(TraceId) + kCovered];
  std::memcpy(bytes, trace_id, sizeof(TraceId));
  std::memcpy(bytes + sizeof(TraceId), &header, kCovered);
  return checksum(bytes);
}

format::ChunkHeader make_header(format::ChunkKind kind, ByteView payload, uint64_t sequence,
                                const TraceId& trace_id) {
  format::ChunkHeader header{};
  header.magic = format::kChunkMagic;
  header.kind = kind;
  header.payload_size = payload.size();
  header.sequence = sequence;
  header.payload_checksum = checksum(payload);
  header.header_checksum = header_checksum(header, trace_id);
  return header;
}

std::optional<format::ChunkHeader> read_header(ByteView file, uint64_t offset,
                                               const TraceId& trace_id) {
  format::ChunkHeader header;
  if (offset > file.size() || file.size() - offset < sizeof header) return std::nullopt;
  std::memcpy(&header, file.data() + offset, sizeof header);
  if (header.magic != format::kChunkMagic ||
      header.header_checksum != header_checksum(header, trace_id) ||
      header.payload_size > file.size() - offset - sizeof header)
    return std::nullopt;
  return header;
}

uint64_t file_header_checksum(const format::FileHeader& header) {
  return checksum_before(header, offsetof(format::FileHeader, checksum));
}

uint64_t trailer_checksum(const format::Trailer& trailer) {
  return checksum_before(trailer, offsetof(format::Trailer, checksum));
}

}  // namespace vestige
