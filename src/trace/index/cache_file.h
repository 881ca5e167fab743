// A file that can be made again from its trace: what the index of values (index_file.h) and that of
// paths (paths/whole_paths.h) share. docs/index-format.md describes it.
//
//   file   := header, pieces in any order, table
//   header := magic:8 version:u32 0:u32 identity:u64 file_size:u64 table_offset:u64 table_size:u64
//             table_checksum:u64 header_checksum:u64
//
// `identity` is StoreReader::identity() of the trace. The header is written last.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/bytes.h"
#include "base/mapped_file.h"
#include "vestige/result.h"

namespace vestige {

// Which cache it is, in the file and in its name.
struct CacheKind {
  char magic[8];
  uint32_t version;
  const char* suffix;  // ".idx"
};

// Reads on demand from the mapped file. Immutable.
class CacheReader {
 public:
  // Header and table are sound, and it belongs to the trace with this identity.
  static Result<CacheReader> open(const std::string& file, const CacheKind& kind,
                                  uint64_t identity);

  const std::string& file() const { return file_; }
  ByteView bytes() const { return mapped_.bytes(); }
  ByteView table() const { return table_; }
  // The piece, or an error when its checksum is wrong or it does not lie in the file.
  Result<ByteView> piece(uint64_t offset, uint64_t size, uint64_t checksum) const;

 private:
  std::string file_;
  MappedFile mapped_;
  ByteView table_;
};

// Writes to a file without a name beside the final one, which finish() puts in its place; whatever
// ends the process before, nothing remains. Where a file system has no such files, it is a locked
// one with a name; what a killed process left of those, or of the moment of replacing an older
// file, goes when the next one is created. append may be called from several threads.
class CacheWriter {
 public:
  // `mode`: who may read it, as chmod says it.
  static Result<std::unique_ptr<CacheWriter>> create(const std::string& file, unsigned mode);
  ~CacheWriter();
  CacheWriter(const CacheWriter&) = delete;

  const std::string& file() const { return file_; }
  // Where the piece lies: at a multiple of 8.
  Result<uint64_t> append(ByteView piece);
  // How big the file is.
  Result<uint64_t> finish(const CacheKind& kind, uint64_t identity, ByteView table);

 private:
  CacheWriter(std::string file, std::string temporary, int descriptor);
  Result<void> write(ByteView bytes, uint64_t at);
  Result<void> put_in_place();
  std::string file_, temporary_;  // the latter empty: it has no name
  int descriptor_;
  std::mutex mutex_;  // guards end_
  uint64_t end_;
};

}  // namespace vestige
