// Synchronization operations of one thread, as blocks of columns. Locks come in the same few places
// over and over, so kinds and objects repeat; stamps of a thread that is alone rise by one. Each column
// by itself is what zstd is good at.
//
//   rows    := (count:varint size:varint squeezed(columns))*     until the chunk's count is reached
//   columns := what:varint×count gap:varint×count stamp:varint×count
//              entries:varint entry:svarint×entries place:varint×count other:svarint×(rows that have one)
//
// `what` is kind + 256 × result. Gaps add up to times, and stamps to stamps, from 0 at the chunk's
// beginning. An entry is an object's address minus that of the entry before (the first: minus 0), in order
// of first use in the block; a place is an entry's index. `other` is minus the object's address.
//
// Memory: one block of at most kSyncBlockRows rows, for either direction.
#pragma once

#include <span>
#include <unordered_map>

#include "store/chunks.h"

namespace vestige {

inline constexpr size_t kSyncBlockRows = 16384;

// Whether rows of this kind have an `other`.
bool has_other(SyncKind kind);

class SyncRowsEncoder {
 public:
  void append(const SyncRow& row);
  uint64_t count() const { return count_; }
  uint64_t atomics() const { return atomics_; }
  // About what it will come to.
  uint64_t encoded_bytes() const { return out_.size() + 4 * block_.size(); }
  Bytes finish();  // and starts over

 private:
  void write_block();
  std::vector<SyncRow> block_;
  ByteWriter out_;
  uint64_t count_ = 0, atomics_ = 0;
  uint64_t time_ = 0, stamp_ = 0;
};

class SyncRowsDecoder {
 public:
  // The bytes must outlive it.
  SyncRowsDecoder(ByteView rows, uint64_t count) : in_(rows), left_(count) {}
  // The next block, empty at the end. Valid until the next call.
  Result<std::span<const SyncRow>> next();

 private:
  Result<void> decode(ByteView squeezed, size_t rows);
  ByteReader in_;
  uint64_t left_;
  uint64_t time_ = 0, stamp_ = 0;
  std::vector<SyncRow> rows_;
};

}  // namespace vestige
