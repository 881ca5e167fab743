#include "archive/archive_directory.h"

#include <cstring>

namespace vestige {
namespace {

constexpr size_t kBlockHead = 8;

std::unexpected<Error> bad() { return fail(ErrorKind::corrupt, "the directory is damaged"); }

uint32_t check_of(ByteView bytes) { return static_cast<uint32_t>(checksum(bytes)); }

// All of `out` from byte `at` on; false when the file ends before.
Result<bool> read_at(const ByteSource& source, uint64_t at, std::span<uint8_t> out) {
  const auto part = source.from(at);
  if (!part) return false;
  const auto got = part->read(out);
  if (!got) return std::unexpected(got.error());
  return *got == out.size();
}

}  // namespace

Bytes ArchiveDirectory::encode(uint64_t at) const {
  ByteWriter content;
  content.varint(records);
  content.varint(end);
  content.varint(sections.size());
  ArchiveSection before;
  for (const ArchiveSection& section : sections) {
    content.varint(section.at - before.at);
    content.varint(section.first - before.first);
    before = section;
  }
  ByteWriter out;
  out.u32(static_cast<uint32_t>(content.size()));
  out.bytes(content.buffer());
  out.u32(check_of(out.buffer()));
  out.u64(at);
  out.bytes(kDirectoryMagic);
  return out.take();
}

Result<ArchiveDirectory> ArchiveDirectory::decode(ByteView content, uint64_t header_bytes) {
  ByteReader in(content);
  ArchiveDirectory directory;
  directory.records = in.varint();
  directory.end = in.varint();
  const size_t sections = in.count(2);
  if (in.failed() || directory.end < header_bytes || (sections == 0) != (directory.records == 0) ||
      sections > (directory.end - header_bytes) / kLeastBlock)
    return bad();
  directory.sections.reserve(sections);
  ArchiveSection section;
  for (size_t s = 0; s < sections; ++s) {
    const uint64_t bytes = in.varint(), records = in.varint();
    // Neither sum can wrap: each stays below what is a sum already.
    if (in.failed() || bytes >= directory.end - section.at ||
        records >= directory.records - section.first)
      return bad();
    if (s == 0 ? bytes != header_bytes || records != 0 : bytes < kLeastBlock || records == 0)
      return bad();
    section.at += bytes;
    section.first += records;
    directory.sections.push_back(section);
  }
  if (in.remaining() != 0) return bad();
  return directory;
}

size_t ArchiveDirectory::section_of(uint64_t record) const {
  const auto after = std::ranges::upper_bound(sections, record, {}, &ArchiveSection::first);
  return static_cast<size_t>(after - sections.begin()) - 1;
}

uint64_t ArchiveDirectory::records_of(size_t s) const {
  return (s + 1 < sections.size() ? sections[s + 1].first : records) - sections[s].first;
}

uint64_t ArchiveDirectory::end_of(size_t s) const {
  return s + 1 < sections.size() ? sections[s + 1].at : end;
}

Result<std::optional<ArchiveDirectory>> find_directory(const ByteSource& source,
                                                       uint64_t header_bytes) {
  std::optional<ArchiveDirectory> none;
  const uint64_t size = source.size();
  if (size < header_bytes + kDirectoryEnds) return none;
  struct {
    uint64_t at;
    uint8_t magic[8];
  } end;
  static_assert(sizeof end == 16);
  const auto ended =
      read_at(source, size - sizeof end, {reinterpret_cast<uint8_t*>(&end), sizeof end});
  if (!ended) return std::unexpected(ended.error());
  if (!*ended || std::memcmp(end.magic, kDirectoryMagic, sizeof kDirectoryMagic) != 0 ||
      end.at < header_bytes || end.at > size - kDirectoryEnds)
    return none;
  const uint64_t content = size - end.at - kDirectoryEnds;
  if (content > kMaxDirectory) return none;
  Bytes bytes(4 + content + 4);
  const auto read = read_at(source, end.at, bytes);
  if (!read) return std::unexpected(read.error());
  if (!*read) return none;
  ByteReader in(bytes);
  const ByteView checked = ByteView(bytes).first(4 + content);
  if (in.u32() != content) return none;
  const ByteView described = in.bytes(content);
  if (in.u32() != check_of(checked)) return none;
  auto directory = ArchiveDirectory::decode(described, header_bytes);
  if (!directory || directory->end > end.at) return none;
  return std::optional(std::move(*directory));
}

Result<ArchiveDirectory> walk_blocks(const ByteSource& source, const ArchiveHeader& header,
                                     uint64_t header_bytes) {
  ArchiveDirectory found;
  found.end = header_bytes;
  found.whole = false;
  const uint64_t size = source.size(), row_bytes = header.layout.width();
  while (size >= found.end + kLeastBlock) {
    uint32_t head[2];
    const auto read = read_at(source, found.end, {reinterpret_cast<uint8_t*>(head), kBlockHead});
    if (!read) return std::unexpected(read.error());
    if (!*read) break;
    const bool restarts = header.major > 1 ? head[0] & kRestart : found.records == 0;
    const uint32_t rows = header.major > 1 ? head[0] & ~kRestart : head[0];
    found.whole = rows == 0;
    if (rows == 0 || rows > header.block_rows || head[1] > max_payload(rows * row_bytes) ||
        head[1] > size - found.end - kLeastBlock)
      break;
    if (restarts) found.sections.push_back({found.end, found.records});
    if (found.sections.empty()) break;
    found.records += rows;
    found.end += kLeastBlock + head[1];
  }
  return found;
}

}  // namespace vestige
