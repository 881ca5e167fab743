// The windows of a trace's threads in the file T.vst.idx (cache_file.h). A cache: what it says can
// be made again from the trace, so whatever is wrong with it, it is made again.
// docs/index-format.md describes it.
//
//   table    := squeezed( window_statements, list of threads( list of windows ) )
//   window   := first - end of the one before, last - first + 1 or 0 (open end), statements,
//               complete:u8, offset - end of the piece before, window_size, counts_size,
//               checksum:u64, checksum:u64
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trace/index/cache_file.h"

namespace vestige {

inline constexpr CacheKind kValueIndex = {
    {'\x89', 'V', 'S', 'I', '\r', '\n', '\x1a', '\n'}, 5, ".idx"};

struct IndexedWindow {
  uint64_t first_time = 1;
  uint64_t last_time = UINT64_MAX;  // included; UINT64_MAX: to the end
  uint64_t statements = 0;
  // False: its evaluation fails somewhere; counts and told values are not here.
  bool complete = true;
  uint64_t offset = 0;  // of the window's bytes; its counts follow them
  uint64_t size = 0, counts_size = 0;
  uint64_t checksum = 0, counts_checksum = 0;
};

// Reads on demand from the mapped file. Immutable.
class IndexReader {
 public:
  static Result<IndexReader> open(const std::string& file, uint64_t identity);

  const std::string& file() const { return cache_.file(); }
  uint64_t file_bytes() const { return cache_.bytes().size(); }
  uint64_t window_statements() const { return window_statements_; }
  // By thread of the trace.
  const std::vector<std::vector<IndexedWindow>>& threads() const { return threads_; }
  // Their checksums are right.
  Result<ByteView> window(const IndexedWindow& window) const;
  Result<ByteView> counts(const IndexedWindow& window) const;

 private:
  Result<void> read_table();
  CacheReader cache_;
  uint64_t window_statements_ = 0;
  std::vector<std::vector<IndexedWindow>> threads_;
};

// append may be called from several threads, each for threads of its own.
class IndexWriter {
 public:
  IndexWriter(std::unique_ptr<CacheWriter> cache, size_t threads)
      : cache_(std::move(cache)), threads_(threads) {}

  const std::string& file() const { return cache_->file(); }
  Result<void> append(size_t thread, IndexedWindow window, ByteView bytes, ByteView counts);
  // How big the file is.
  Result<uint64_t> finish(uint64_t identity, uint64_t window_statements);

 private:
  std::unique_ptr<CacheWriter> cache_;
  std::vector<std::vector<IndexedWindow>> threads_;
};

}  // namespace vestige
