// IndexWriter of index_file.h.
#include "base/checksum.h"
#include "base/squeeze.h"
#include "trace/index/index_file.h"

namespace vestige {

Result<void> IndexWriter::append(size_t thread, IndexedWindow window, ByteView bytes,
                                 ByteView counts) {
  window.size = bytes.size();
  window.counts_size = counts.size();
  window.checksum = checksum(bytes);
  window.counts_checksum = checksum(counts);
  Bytes piece(bytes.begin(), bytes.end());
  piece.insert(piece.end(), counts.begin(), counts.end());
  const auto offset = cache_->append(piece);
  if (!offset) return std::unexpected(offset.error());
  window.offset = *offset;
  threads_[thread].push_back(window);
  return {};
}

Result<uint64_t> IndexWriter::finish(uint64_t identity, uint64_t window_statements) {
  ByteWriter out;
  out.varint(window_statements);
  out.varint(threads_.size());
  for (const auto& windows : threads_) {
    out.varint(windows.size());
    uint64_t end_time = 1, end_byte = 0;
    for (const IndexedWindow& window : windows) {
      const bool last = &window == &windows.back();
      const uint64_t paths = last ? 0 : window.last_time - window.first_time + 1;
      out.varint(window.first_time - end_time);
      out.varint(paths);
      out.varint(window.statements);
      out.u8(window.complete);
      out.varint(window.offset - end_byte);
      out.varint(window.size);
      out.varint(window.counts_size);
      out.u64(window.checksum);
      out.u64(window.counts_checksum);
      end_time = window.first_time + paths;
      end_byte = window.offset + window.size + window.counts_size;
    }
  }
  return cache_->finish(kValueIndex, identity, squeeze(out.take()));
}

}  // namespace vestige
