// The file T.vst.idx: the windows of a trace's threads. A cache: what it says can be made again
// from the trace, so whatever is wrong with it, it is made again. docs/index-format.md describes
// it.
//
//   file     := header, blobs in any order, table
//   header   := magic:8 version:u32 0:u32 identity:u64 file_size:u64 table_offset:u64
//   table_size:u64
//               table_checksum:u64 header_checksum:u64
//   table    := squeezed( window_statements, list of threads( list of windows ) )
//   window   := first - end of the one before, last - first + 1 or 0 (open end), statements,
//   complete:u8,
//               offset - end of the blob before, window_size, counts_size, checksum:u64,
//               checksum:u64
//
// `identity` is StoreReader::identity() of the trace. The header is written last.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/mapped_file.h"
#include "vestige/result.h"

namespace vestige {

inline constexpr uint32_t kIndexVersion = 1;

struct IndexedWindow {
  uint64_t first_time = 1;
  uint64_t last_time = UINT64_MAX;  // included; UINT64_MAX: to the end
  uint64_t statements = 0;
  bool complete =
      true;  // false: its evaluation fails somewhere; counts and told values are not here
  uint64_t offset = 0;  // of the window's bytes; its counts follow them
  uint64_t size = 0, counts_size = 0;
  uint64_t checksum = 0, counts_checksum = 0;
};

// Reads on demand from the mapped file. Immutable.
class IndexReader {
 public:
  static Result<IndexReader> open(const std::string& file, uint64_t identity);

  const std::string& file() const { return file_; }
  uint64_t file_bytes() const { return mapped_.bytes().size(); }
  uint64_t window_statements() const { return window_statements_; }
  // By thread of the trace.
  const std::vector<std::vector<IndexedWindow>>& threads() const { return threads_; }
  // Their checksums are right.
  Result<ByteView> window(const IndexedWindow& window) const;
  Result<ByteView> counts(const IndexedWindow& window) const;

 private:
  Result<void> read_table(ByteView table);
  Result<ByteView> blob(uint64_t offset, uint64_t size, uint64_t sum) const;
  std::string file_;
  MappedFile mapped_;
  uint64_t window_statements_ = 0;
  std::vector<std::vector<IndexedWindow>> threads_;
};

// Writes to a temporary file beside the final one, which finish() puts in its place; without that
// nothing remains. append may be called from several threads, each for threads of its own.
class IndexWriter {
 public:
  // `mode`: who may read it, as chmod says it.
  static Result<std::unique_ptr<IndexWriter>> create(const std::string& file, size_t threads,
                                                     unsigned mode);
  ~IndexWriter();
  IndexWriter(const IndexWriter&) = delete;

  const std::string& file() const { return file_; }
  Result<void> append(size_t thread, IndexedWindow window, ByteView bytes, ByteView counts);
  // How big the file is.
  Result<uint64_t> finish(uint64_t identity, uint64_t window_statements);

 private:
  IndexWriter(std::string file, std::string temporary, int descriptor, size_t threads);
  Result<void> write(ByteView bytes, uint64_t at);
  std::string file_, temporary_;
  int descriptor_;
  std::mutex mutex_;  // guards end_
  uint64_t end_;
  std::vector<std::vector<IndexedWindow>> threads_;
};

}  // namespace vestige
