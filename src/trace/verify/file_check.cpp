#include "trace/verify/file_check.h"

#include <cstddef>
#include <cstring>
#include <map>
#include <optional>

#include "base/checksum.h"

namespace vestige {

namespace {

std::string at_byte(uint64_t offset) { return " at byte " + std::to_string(offset); }

bool all_zero(ByteView bytes) {
  for (const uint8_t byte : bytes)
    if (byte != 0) return false;
  return true;
}

class FileCheck {
 public:
  FileCheck(ByteView file, Problems& problems) : file_(file), problems_(problems) {}

  std::vector<FoundChunk> run() {
    if (!check_header()) return {};
    const uint64_t end = check_trailer();
    uint64_t at = sizeof(format::FileHeader);
    while (at < end) {
      const auto next = check_chunk(at, end);
      if (!next) break;  // without its length the next chunk cannot be found
      at = *next;
    }
    check_directory();
    return std::move(found_);
  }

 private:
  bool check_header() {
    if (file_.size() < sizeof header_) {
      problems_.add("the file is too short for a header");
      return false;
    }
    std::memcpy(&header_, file_.data(), sizeof header_);
    if (checksum(file_.first(offsetof(format::FileHeader, checksum))) != header_.checksum)
      problems_.add("the file header's checksum does not match");
    for (const uint8_t byte : header_.reserved) {
      if (byte == 0) continue;
      problems_.add("the file header's reserved bytes are not zero");
      break;
    }
    return true;
  }

  // Where the chunks end.
  uint64_t check_trailer() {
    if (file_.size() < sizeof header_ + sizeof trailer_) {
      problems_.add("the file has no trailer");
      return file_.size();
    }
    const uint64_t at = file_.size() - sizeof trailer_;
    std::memcpy(&trailer_, file_.data() + at, sizeof trailer_);
    if (trailer_.magic != format::kTrailerMagic) {
      problems_.add("there is no trailer" + at_byte(at));
      return file_.size();
    }
    if (checksum(file_.subspan(at, offsetof(format::Trailer, checksum))) != trailer_.checksum)
      problems_.add("the trailer's checksum does not match" + at_byte(at));
    if (trailer_.file_size != file_.size()) {
      problems_.add("the trailer says the file has " + std::to_string(trailer_.file_size) +
                    " bytes, it has " + std::to_string(file_.size()));
    }
    return at;
  }

  // Where the next chunk begins.
  std::optional<uint64_t> check_chunk(uint64_t at, uint64_t end) {
    format::ChunkHeader header;
    if (end - at < sizeof header) {
      problems_.add("stray bytes" + at_byte(at));
      return std::nullopt;
    }
    std::memcpy(&header, file_.data() + at, sizeof header);
    if (header.magic != format::kChunkMagic) {
      problems_.add("there is no chunk" + at_byte(at));
      return std::nullopt;
    }
    constexpr size_t kCovered = offsetof(format::ChunkHeader, header_checksum);
    Bytes covered(header_.trace_id, header_.trace_id + sizeof header_.trace_id);
    covered.insert(covered.end(), file_.begin() + static_cast<ptrdiff_t>(at),
                   file_.begin() + static_cast<ptrdiff_t>(at + kCovered));
    if (checksum(covered) != header.header_checksum) {
      problems_.add(at, "its header's checksum does not match");
      return std::nullopt;
    }
    const uint64_t begin = at + sizeof header;
    if (header.payload_size > end - begin) {
      problems_.add(at, "it reaches past the end of the file");
      return std::nullopt;
    }
    if (seen_chunk_ && header.sequence <= sequence_) {
      problems_.add(at, "its sequence number " + std::to_string(header.sequence) + " follows " +
                            std::to_string(sequence_));
    }
    seen_chunk_ = true;
    sequence_ = header.sequence;
    const ByteView payload = file_.subspan(begin, header.payload_size);
    if (checksum(payload) == header.payload_checksum) {
      found_.push_back({header.kind, at, header.sequence, payload});
    } else {
      problems_.add(at, "its checksum does not match");
    }
    const uint64_t next = std::min(end, (begin + header.payload_size + 7) & ~uint64_t{7});
    if (!all_zero(file_.subspan(begin + header.payload_size, next - begin - header.payload_size)))
      problems_.add(at, "the padding behind it is not zero");
    return next;
  }

  void check_directory() {
    if (found_.empty() || found_.back().kind != format::ChunkKind::directory) {
      problems_.add("the last chunk is not a directory");
      return;
    }
    const FoundChunk& last = found_.back();
    if (trailer_.directory_offset != last.offset) {
      problems_.add("the trailer says the directory is" + at_byte(trailer_.directory_offset) +
                    ", it is" + at_byte(last.offset));
    }
    auto directory = DirectoryChunk::decode(last.payload);
    if (!directory) return problems_.add(last.offset, directory.error().message);
    std::map<uint64_t, const DirectoryChunk::Row*> rows;
    for (const DirectoryChunk::Row& row : directory->rows)
      if (!rows.emplace(row.offset, &row).second)
        problems_.add(last.offset,
                      "the directory lists the chunk" + at_byte(row.offset) + " twice");
    for (const FoundChunk& chunk : found_) {
      if (&chunk == &last) continue;
      const auto row = rows.find(chunk.offset);
      if (row == rows.end()) {
        problems_.add(chunk.offset, "the directory does not list it");
        continue;
      }
      check_row(*row->second, chunk);
      rows.erase(row);
    }
    for (const auto& [offset, row] : rows)
      problems_.add(last.offset,
                    "the directory lists a chunk" + at_byte(offset) + " that is not there");
  }

  void check_row(const DirectoryChunk::Row& row, const FoundChunk& chunk) {
    bool same = row.kind == chunk.kind && row.payload_size == chunk.payload.size();
    if (same && row.kind == format::ChunkKind::control) {
      if (const auto view = ControlChunk::view(chunk.payload)) {
        same = row.thread == view->thread && row.first_time == view->first_time &&
               row.path_count == view->path_count && row.stack_bytes == view->stack.size() &&
               row.event_bytes == view->events.size() && row.word_bytes == view->words.size();
      }
    }
    if (!same) problems_.add(chunk.offset, "it is not what the directory says");
  }

  ByteView file_;
  Problems& problems_;
  format::FileHeader header_{};
  format::Trailer trailer_{};
  bool seen_chunk_ = false;
  uint64_t sequence_ = 0;
  std::vector<FoundChunk> found_;
};

}  // namespace

std::vector<FoundChunk> check_file(ByteView file, Problems& problems) {
  return FileCheck(file, problems).run();
}

}  // namespace vestige
