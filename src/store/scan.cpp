#include "store/scan.h"

#include <unordered_set>

#include "base/checksum.h"
#include "store/directory_row.h"

namespace vestige {

namespace {

using format::ChunkKind;

std::string range(uint64_t begin, uint64_t end) {
  return "bytes " + std::to_string(begin) + "–" + std::to_string(end);
}

// Where the next chunk magic stands at or behind `from`; the file's size when there is none.
uint64_t find_magic(ByteView file, uint64_t from) {
  if (from >= file.size()) return file.size();
  const void* at = ::memmem(file.data() + from, file.size() - from, &format::kChunkMagic,
                            sizeof format::kChunkMagic);
  return at ? static_cast<uint64_t>(static_cast<const uint8_t*>(at) - file.data()) : file.size();
}

bool all_zero(ByteView bytes) {
  for (const uint8_t byte : bytes)
    if (byte != 0) return false;
  return true;
}

// Padding and the trailer: what stands behind the last chunk of a complete file.
bool is_file_end(ByteView bytes) {
  format::Trailer trailer;
  if (bytes.size() < sizeof trailer) return false;
  const size_t padding = bytes.size() - sizeof trailer;
  std::memcpy(&trailer, bytes.data() + padding, sizeof trailer);
  return trailer.magic == format::kTrailerMagic && trailer.checksum == trailer_checksum(trailer) &&
         all_zero(bytes.first(padding));
}

}  // namespace

ScannedChunks scan_chunks(ByteView file, const TraceId& trace_id) {
  ScannedChunks found;
  std::unordered_set<uint64_t> seen;
  uint64_t hole = sizeof(format::FileHeader);  // where the current stretch without chunks begins
  const auto close_hole = [&](uint64_t end) {
    // Zeros are padding, or what --last freed.
    if (hole >= end) return;
    const ByteView between = file.subspan(hole, end - hole);
    if (all_zero(between) || (end == file.size() && is_file_end(between))) return;
    found.damage.push_back(range(hole, end) + ": no readable chunk");
  };

  for (uint64_t at = find_magic(file, hole); at < file.size();) {
    const auto header = read_header(file, at, trace_id);
    if (!header) {
      at = find_magic(file, at + 1);
      continue;
    }
    close_hole(at);
    const uint64_t begin = at + sizeof *header;
    const uint64_t end = begin + header->payload_size;
    const ByteView payload = file.subspan(begin, header->payload_size);
    DirectoryChunk::Row row;
    std::string problem;
    if (checksum(payload) != header->payload_checksum) {
      problem = "its checksum does not match";
    } else if (header->kind == ChunkKind::control) {
      const auto view = ControlChunk::view(payload);
      if (view)
        row = directory_row(*view);
      else
        problem = view.error().message;
    }
    if (!problem.empty()) {
      found.damage.push_back(range(at, end) + ": chunk " + std::to_string(header->sequence) + ", " +
                             problem);
      // The length itself is protected by the header's checksum, but bytes may have been cut out or
      // put in behind it: the next chunk may begin inside.
      hole = end;
      at = find_magic(file, begin);
      if (at > end) at = find_magic(file, end);
      if (at < end) hole = at;
      continue;
    }
    if (header->kind != ChunkKind::directory && seen.insert(header->sequence).second) {
      row.kind = header->kind;
      row.offset = at;
      row.payload_size = header->payload_size;
      found.rows.push_back(row);
      found.sequences.push_back(header->sequence);
    }
    hole = end;
    at = find_magic(file, end);
  }
  close_hole(file.size());
  return found;
}

}  // namespace vestige
