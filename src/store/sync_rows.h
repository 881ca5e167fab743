// Synchronization operations of one thread, as blocks of columns. Locks come in the same few places
// over and over, so kinds and objects repeat; stamps of a thread that is alone rise by one. Each
// column by itself is what zstd is good at.
//
//   rows    := (count:varint size:varint squeezed(columns))*     until the chunk's count is reached
//   columns := what:varint×count gap:varint×count stamp:varint×count
//              entries:varint entry:svarint×entries place:varint×count
//              other:svarint×(rows that have one)
//
// `what` is kind + 256 × result. Gaps add up to times, and stamps to stamps, from 0 at the chunk's
// beginning. An entry is an object's address minus that of the entry before (the first: minus 0),
// in order of first use in the block; a place is an entry's index. `other` is minus the object's
// address; of messages it is the number itself.
//
// Memory: one block of at most kSyncBlockRows rows, for either direction; an encoder also has what
// it has encoded, and with a pool a few blocks that wait for that.
#pragma once

#include <deque>
#include <mutex>
#include <span>

#include "base/task_group.h"
#include "store/chunks.h"

namespace vestige {

inline constexpr size_t kSyncBlockRows = 4096;

// A message's result with this bit: there is an `other`.
inline constexpr uint32_t kMessageDetails = 1 << 23;

// Whether rows of this kind, with this result, have an `other`.
bool has_other(SyncKind kind, uint32_t result);

class SyncRowsEncoder {
 public:
  // Blocks are squeezed by the pool, when there is one.
  explicit SyncRowsEncoder(WorkerPool* workers = nullptr) : tasks_(workers) {}
  void append(const SyncRow& row);
  uint64_t count() const { return count_; }
  uint64_t atomics() const { return atomics_; }
  // About what it will come to; rows in columns by what they usually do.
  uint64_t encoded_bytes() const {
    const std::lock_guard lock(mutex_);
    return squeezed_bytes_ + rows_ / 2;
  }
  Bytes finish();  // and starts over

 private:
  // Varints behind each other. Written for every operation of the program: no growing byte by byte.
  class Column {
   public:
    void append(uint64_t value) {
      if (used_ + kLongest > bytes_.size()) bytes_.resize(2 * bytes_.size() + 4096);
      for (; value >= 0x80; value >>= 7) bytes_[used_++] = static_cast<uint8_t>(value) | 0x80;
      bytes_[used_++] = static_cast<uint8_t>(value);
    }
    ByteView bytes() const { return {bytes_.data(), used_}; }
    void clear() { used_ = 0; }

   private:
    static constexpr size_t kLongest = 10;
    Bytes bytes_;
    size_t used_ = 0;
  };
  // Of a table with open addressing, at most half full. Those of blocks before are free.
  struct Slot {
    uint64_t object = 0;
    uint32_t place = 0;
    uint32_t block = 0;
  };
  uint32_t place_of(uint64_t object);
  Slot& slot_of(uint64_t object);
  void grow();
  void write_block();

  Column whats_, gaps_, stamps_, places_, others_;
  std::vector<uint64_t> entries_;
  std::vector<Slot> slots_;
  uint32_t block_ = 1;
  uint64_t last_object_ = 0;  // an unlock follows its lock
  uint32_t last_place_ = 0, last_block_ = 0;
  uint64_t rows_ = 0;  // in the columns
  struct Block {
    uint64_t rows;
    Bytes squeezed;
  };
  std::deque<Block> blocks_;  // a deque: tasks hold references
  uint64_t count_ = 0, atomics_ = 0;
  uint64_t time_ = 0, stamp_ = 0;
  mutable std::mutex mutex_;
  uint64_t squeezed_bytes_ = 0;  // guarded
  TaskGroup tasks_;              // last: its tasks use the rest
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
