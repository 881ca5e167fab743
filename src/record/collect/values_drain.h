// Draws a thread's told values out of their ring and writes them as chunks.
//
// With a pool its workers do that, one ring's by one of them at a time; the collector's thread asks
// for it, and waits before it touches anything itself. Without one it all happens when asked for.
#pragma once

#include <atomic>

#include "base/task_group.h"
#include "record/collect/order_log.h"
#include "record/collect/ring_reader.h"
#include "store/value_rows.h"
#include "store/writer.h"

namespace vestige {

class ValuesDrain {
 public:
  // A chunk holds at most `chunk_values` values. What is not written yet is not counted against
  // --max-size: a small cap takes small chunks. `order`: where the order of accesses goes; null: it
  // is not asked for; with it there is no pool, since the log is the collector's. `workers` may be
  // null.
  static constexpr uint64_t kChunkValues = 4 << 20, kSmallChunkValues = 1 << 14;
  // `spares`: of ValueRowsEncoder.
  ValuesDrain(const Session& session, uint32_t ring, uint32_t thread, StoreWriter& writer,
              uint64_t chunk_values, OrderLog* order, Spares<RecordEncoder>& spares,
              WorkerPool* workers);

  uint32_t ring() const { return reader_.ring(); }
  // Whether code that was compiled to be checked has run. After finish().
  bool gave_checked() const { return gave_checked_; }
  // Has handed-over pieces taken. Says whether there was something to do; a worker that is done
  // rings the doorbell.
  Result<bool> take_pieces();
  // Has a chunk written of all that is told by now, in the piece that is being written too; when
  // that is done, flushed() says so once. It takes further take_pieces().
  void begin_to_flush();
  bool flushed();
  // The writer is gone: has everything taken that there is, and writes the last chunk, one without
  // values when there are none.
  void begin_to_finish();
  // Whether a worker is at it.
  bool busy() const { return tasks_.busy(); }
  // Waits for the end of that, and begins it if nobody has.
  Result<void> finish();
  // Gives the ring to the next writer.
  void release() { reader_.release(); }

 private:
  static constexpr size_t kPieceRecords = protocol::kPieceBytes / 16;
  // By a worker or at once.
  void run(Result<void> (ValuesDrain::*task)());
  Result<void> take_some();
  Result<void> flush();
  Result<void> take_rest();
  void parse_order(uint32_t index, uint64_t value);
  // Goes on in a piece, and stops at the first record that is not there; or where it had to wait
  // for the encoder, if it is not to. Says whether all was taken that is there.
  enum class WhenFull { wait, stop };
  Result<bool> parse(const uint64_t* piece, WhenFull when_full);
  Result<void> take_handed_over(WhenFull when_full);
  Result<void> write_chunk();

  RingReader reader_;
  const uint32_t thread_;
  StoreWriter& writer_;
  const uint64_t chunk_values_;
  size_t seen_ = 0;  // records of the present piece that were taken already
  bool gave_checked_ = false;
  const uint64_t first_time_;  // paths completed before the thread's first, in a forked process
  uint64_t time_;              // of the last record, all 64 bits of it
  ValueRowsEncoder rows_;
  OrderLog* order_;
  TargetEdge edge_;  // as far as its records came
  bool finishing_ = false;
  enum class Flush { none, wanted, done };
  std::atomic<Flush> flush_ = Flush::none;  // wanted by the collector, done by the worker
  uint64_t flush_piece_ = 0;                // the piece that was being written when it was wanted
  Result<void> result_;                     // the first failure stays
  TaskGroup tasks_;                         // last: all else is the worker's while it is busy
};

}  // namespace vestige
