// IndexReader of index_file.h.
#include "base/squeeze.h"
#include "trace/index/index_file.h"

namespace vestige {

Result<IndexReader> IndexReader::open(const std::string& file, uint64_t identity) {
  auto cache = CacheReader::open(file, kValueIndex, identity);
  if (!cache) return std::unexpected(std::move(cache.error()));
  IndexReader reader;
  reader.cache_ = std::move(*cache);
  if (!reader.read_table())
    return fail(ErrorKind::corrupt,
                file + ": its table is malformed; it is made anew when it is needed");
  return reader;
}

Result<void> IndexReader::read_table() {
  auto raw = unsqueeze(cache_.table(), "table of an index");
  if (!raw) return std::unexpected(std::move(raw.error()));
  ByteReader in(*raw);
  window_statements_ = in.varint();
  threads_.resize(in.count(1));
  const uint64_t file_size = cache_.bytes().size();
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

Result<ByteView> IndexReader::window(const IndexedWindow& window) const {
  return cache_.piece(window.offset, window.size, window.checksum);
}

Result<ByteView> IndexReader::counts(const IndexedWindow& window) const {
  return cache_.piece(window.offset + window.size, window.counts_size, window.counts_checksum);
}

}  // namespace vestige
