#include <algorithm>

#include "base/checksum.h"
#include "store/squeeze.h"
#include "trace/index/index_file.h"
#include "trace/index/index_format.h"

namespace vestige {

using index_format::Header;

Result<IndexReader> IndexReader::open(const std::string& file, uint64_t identity) {
  IndexReader reader;
  reader.file_ = file;
  auto mapped = MappedFile::open(file);
  if (!mapped) return std::unexpected(std::move(mapped.error()));
  reader.mapped_ = std::move(*mapped);
  const ByteView bytes = reader.mapped_.bytes();
  const auto bad = [&](const char* how) {
    return fail(ErrorKind::corrupt, file + ": " + how + "; it is made anew when it is needed");
  };
  Header header;
  if (bytes.size() < sizeof header) return bad("is too short to be an index");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, index_format::kMagic, sizeof header.magic) != 0)
    return bad("is not an index");
  if (header.checksum != checksum(bytes.first(offsetof(Header, checksum))))
    return bad("its header is damaged");
  if (header.version != kIndexVersion || header.reserved != 0) return bad("has another version");
  if (header.identity != identity) return bad("belongs to another trace");
  if (header.file_size != bytes.size() || header.table_offset > bytes.size() ||
      header.table_size > bytes.size() - header.table_offset)
    return bad("was cut");
  const ByteView table = bytes.subspan(header.table_offset, header.table_size);
  if (checksum(table) != header.table_checksum) return bad("its table is damaged");
  if (auto read = reader.read_table(table); !read) return bad("its table is malformed");
  return reader;
}

Result<void> IndexReader::read_table(ByteView table) {
  auto raw = unsqueeze(table, "table of an index");
  if (!raw) return std::unexpected(std::move(raw.error()));
  ByteReader in(*raw);
  window_statements_ = in.varint();
  threads_.resize(in.count(1));
  const uint64_t file_size = mapped_.bytes().size();
  for (auto& windows : threads_) {
    windows.resize(in.count(23));
    uint64_t end_time = 1, end_byte = 0;
    for (IndexedWindow& window : windows) {
      const uint64_t gap = in.varint(), paths = in.varint();
      window.statements = in.varint();
      window.complete = in.u8() != 0;
      window.offset = end_byte + in.varint();
      window.size = in.varint();
      window.counts_size = in.varint();
      window.checksum = in.u64();
      window.counts_checksum = in.u64();
      window.first_time = end_time + gap;
      const bool last = &window == &windows.back();
      const bool sound = window.first_time >= end_time && (paths == 0) == last &&
                         paths < UINT64_MAX - window.first_time && window.offset >= end_byte &&
                         window.offset <= file_size && window.size <= file_size - window.offset &&
                         window.counts_size <= file_size - window.offset - window.size;
      if (in.failed() || !sound) return fail(ErrorKind::corrupt, "malformed");
      window.last_time = last ? UINT64_MAX : window.first_time + paths - 1;
      end_time = window.first_time + paths;
      end_byte = window.offset + window.size + window.counts_size;
    }
  }
  if (in.failed() || in.remaining() != 0) return fail(ErrorKind::corrupt, "malformed");
  return {};
}

Result<ByteView> IndexReader::blob(uint64_t offset, uint64_t size, uint64_t sum) const {
  const ByteView bytes = mapped_.bytes().subspan(offset, size);
  if (checksum(bytes) != sum)
    return fail(ErrorKind::corrupt,
                file_ + ": the bytes at " + std::to_string(offset) + " are damaged");
  return bytes;
}

Result<ByteView> IndexReader::window(const IndexedWindow& window) const {
  return blob(window.offset, window.size, window.checksum);
}

Result<ByteView> IndexReader::counts(const IndexedWindow& window) const {
  return blob(window.offset + window.size, window.counts_size, window.counts_checksum);
}

}  // namespace vestige
