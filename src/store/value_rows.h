// Values told, as rows of our own record codec: statement (in the PC's place), paths since the
// value before, value.
//
//   rows  := (count:varint size:varint block)*     until the chunk's count is reached
//
// The codec starts afresh in every chunk, so a chunk decodes alone; the time before its first row
// is 0.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "base/spares.h"
#include "base/task_group.h"
#include "codec/record_codec.h"
#include "store/chunks.h"

namespace vestige {

// Thread safety: belongs to one thread at a time, which may be a worker of the pool. While it fills
// a block, a worker may encode the one before; blocks of a chunk are encoded one after the other.
class ValueRowsEncoder {
 public:
  // `spares`: where codecs come from and go to between chunks, shared by many; null: each chunk
  // has a new one. A codec has some 11 MiB, most of which a long chunk touches.
  // `workers`: null, and blocks are encoded at once. `behind` is called behind each block that a
  // worker encoded.
  explicit ValueRowsEncoder(Spares<RecordEncoder>* spares = nullptr, WorkerPool* workers = nullptr,
                            std::function<void()> behind = {});
  // Whether a value can be appended without waiting: not while a block is full and the one before
  // is being encoded.
  bool has_room() { return block_.rows < kRows || hand_over(); }
  // There is none, and will be when a worker is done, behind which `behind` is called.
  bool waits_for_worker();
  void append(const ToldValue& value);
  uint64_t count() const { return count_; }
  Bytes finish();  // and starts over

 private:
  static constexpr size_t kRows = 1 << 16;  // of a block: as much as a cache holds
  // Of `handed_over_`. A worker takes it up, or whoever needs it done before one does.
  enum class Encoding { done, waits, runs };

  void begin();
  bool hand_over();
  void encode_handed_over();
  void wait_for_handed_over();
  void encode(const RecordBlock& block);
  Spares<RecordEncoder>* const spares_;
  std::unique_ptr<RecordEncoder> encoder_;
  RecordBlock block_, handed_over_;
  ByteWriter out_;
  uint64_t count_ = 0;
  uint64_t time_ = 0;
  std::mutex mutex_;
  std::condition_variable done_;
  // Guarded; while it runs, handed_over_, encoder_ and out_ are its own.
  Encoding encoding_ = Encoding::done;
  TaskGroup tasks_;  // last: its tasks use the rest
};

class ValueRowsDecoder {
 public:
  // The bytes must outlive it.
  ValueRowsDecoder(ByteView rows, uint64_t count);
  // The next values, none at the end.
  Result<std::vector<ToldValue>> next();

 private:
  ByteReader in_;
  uint64_t left_;
  uint64_t time_ = 0;
  std::unique_ptr<RecordDecoder> decoder_;
};

}  // namespace vestige
