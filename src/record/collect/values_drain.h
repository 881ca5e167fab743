// Draws a thread's told values out of their ring and writes them as chunks.
#pragma once

#include "record/collect/order_log.h"
#include "record/collect/session.h"
#include "store/value_rows.h"
#include "store/writer.h"

namespace vestige {

class ValuesDrain {
 public:
  // A chunk holds at most `chunk_values` values. What is not written yet is not counted against
  // --max-size: a small cap takes small chunks. `order`: where the order of accesses goes; null: it
  // is not asked for.
  static constexpr uint64_t kChunkValues = 4 << 20, kSmallChunkValues = 1 << 14;
  ValuesDrain(const Session& session, uint32_t ring, uint32_t thread, StoreWriter& writer,
              uint64_t chunk_values, OrderLog* order);

  uint32_t ring() const { return ring_; }
  // Whether code that was compiled to be checked has run.
  bool gave_checked() const { return gave_checked_; }
  // Takes up to `most` handed-over pieces; returns how many it took.
  Result<uint32_t> take_pieces(uint32_t most);
  // Takes what is in the piece that is being written, and writes a chunk when there is anything for it.
  Result<void> flush();
  // Everything there is; the writer is gone. Writes the last chunk, and one when there is nothing.
  Result<void> finish();
  // Gives the ring to the next writer.
  void release();

 private:
  static constexpr size_t kPieceRecords = protocol::kPieceBytes / 16;
  void parse_order(uint32_t index, uint64_t value);
  // Goes on in a piece, and stops at the first record that is not there.
  Result<void> parse(const uint64_t* piece);
  Result<void> write_chunk();
  uint64_t filled() const;

  const Session& session_;
  const uint32_t ring_;
  const uint32_t thread_;
  protocol::RingEntry& entry_;
  StoreWriter& writer_;
  const uint64_t chunk_values_;
  uint64_t drained_ = 0;
  size_t seen_ = 0;  // records of the present piece that were taken already
  bool gave_checked_ = false;
  const uint64_t first_time_;  // paths completed before the thread's first, in a forked process
  uint64_t time_;              // of the last record, all 64 bits of it
  ValueRowsEncoder rows_;
  OrderLog* order_;
  TargetEdge edge_;  // as far as its records came
};

}  // namespace vestige
