#include "file_parts.h"

#include "base/checksum.h"
#include "store/chunk_header.h"
#include "store/directory_row.h"

namespace vestige::hostile {

namespace {

format::ChunkHeader header_at(ByteView file, uint64_t offset) {
  format::ChunkHeader header;
  std::memcpy(&header, file.data() + offset, sizeof header);
  return header;
}

void append_chunk(Bytes& file, format::ChunkKind kind, uint64_t sequence, ByteView payload,
                  const TraceId& id) {
  const format::ChunkHeader header = make_header(kind, payload, sequence, id);
  const auto* bytes = reinterpret_cast<const uint8_t*>(&header);
  file.insert(file.end(), bytes, bytes + sizeof header);
  file.insert(file.end(), payload.begin(), payload.end());
  file.resize(padded(file.size()));
}

}  // namespace

std::vector<uint64_t> chunk_offsets(ByteView file) {
  std::vector<uint64_t> offsets;
  for (uint64_t at = sizeof(format::FileHeader); file.size() >= sizeof(format::ChunkHeader) &&
                                                 at <= file.size() - sizeof(format::ChunkHeader);) {
    const format::ChunkHeader header = header_at(file, at);
    if (header.magic != format::kChunkMagic ||
        header.payload_size > file.size() - at - sizeof header)
      break;
    offsets.push_back(at);
    at = padded(at + sizeof header + header.payload_size);
  }
  return offsets;
}

std::optional<FileParts> take_apart(ByteView file) {
  FileParts parts;
  if (file.size() < sizeof parts.header + sizeof(format::Trailer)) return std::nullopt;
  std::memcpy(&parts.header, file.data(), sizeof parts.header);
  for (const uint64_t at : chunk_offsets(file)) {
    const format::ChunkHeader header = header_at(file, at);
    const ByteView payload = file.subspan(at + sizeof header, header.payload_size);
    if (header.kind == format::ChunkKind::directory)
      parts.directory.assign(payload.begin(), payload.end());
    else
      parts.pieces.push_back({header.kind, header.sequence, {payload.begin(), payload.end()}});
  }
  if (parts.directory.empty()) return std::nullopt;
  return parts;
}

Bytes put_together(const FileParts& parts, bool keep_directory) {
  Bytes file(sizeof parts.header);
  DirectoryChunk directory;
  uint64_t sequence = 0;
  for (const FileParts::Piece& piece : parts.pieces) {
    DirectoryChunk::Row row;
    if (piece.kind == format::ChunkKind::control)
      if (const auto view = ControlChunk::view(piece.payload)) row = directory_row(*view);
    row.kind = piece.kind;
    row.offset = file.size();
    row.payload_size = piece.payload.size();
    directory.rows.push_back(row);
    append_chunk(file, piece.kind, piece.sequence, piece.payload, parts.header.trace_id);
    sequence = std::max(sequence, piece.sequence + 1);
  }
  format::Trailer trailer{};
  trailer.directory_offset = file.size();
  append_chunk(file, format::ChunkKind::directory, sequence,
               keep_directory ? parts.directory : directory.encode(), parts.header.trace_id);
  trailer.magic = format::kTrailerMagic;
  trailer.file_size = file.size() + sizeof trailer;
  trailer.checksum = trailer_checksum(trailer);
  const auto* bytes = reinterpret_cast<const uint8_t*>(&trailer);
  file.insert(file.end(), bytes, bytes + sizeof trailer);
  format::FileHeader header = parts.header;
  header.checksum = file_header_checksum(header);
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

void sign(Bytes& file) {
  format::FileHeader header;
  format::Trailer trailer;
  if (file.size() < sizeof header + sizeof trailer) return;
  std::memcpy(&header, file.data(), sizeof header);
  header.checksum = file_header_checksum(header);
  std::memcpy(file.data(), &header, sizeof header);
  for (const uint64_t at : chunk_offsets(file)) {
    format::ChunkHeader chunk = header_at(file, at);
    chunk.payload_checksum =
        checksum(ByteView(file).subspan(at + sizeof chunk, chunk.payload_size));
    chunk.header_checksum = header_checksum(chunk, header.trace_id);
    std::memcpy(file.data() + at, &chunk, sizeof chunk);
  }
  uint8_t* const end = file.data() + file.size() - sizeof trailer;
  std::memcpy(&trailer, end, sizeof trailer);
  trailer.checksum = trailer_checksum(trailer);
  std::memcpy(end, &trailer, sizeof trailer);
}

}  // namespace vestige::hostile
