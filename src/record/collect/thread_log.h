// One thread's part of the trace: follows its call stack, gathers its paths, events and
// synchronization operations, and writes them as chunks.
//
// A chunk begins with the first path or event after the last one was written, and is written when
// it is full, when something has been waiting in it for a second, and when the thread ends. Its
// stack is the one before that first path or event. Synchronization operations are written with it,
// behind it: a file that ends early has the paths that led to them.
//
// Thread safety: none; a log belongs to the worker that drains its ring.
#pragma once

#include <memory>

#include "record/collect/encoder_pool.h"
#include "record/collect/stack_tracker.h"
#include "record/collect/thread_clock.h"
#include "store/sync_rows.h"
#include "store/writer.h"

namespace vestige {

struct ThreadLogOptions {
  uint64_t chunk_paths = 8 * 1024 * 1024;
  uint64_t chunk_bytes = UINT64_MAX;  // about; nothing smaller can be left out at --max-size
  uint64_t last = 0;                  // --last
};

class ThreadLog {
 public:
  ThreadLog(uint32_t thread, const uint8_t* kinds, StoreWriter& writer, EncoderPool& encoders,
            ThreadLogOptions options);

  uint32_t thread() const { return thread_; }
  uint64_t time() const { return time_; }
  uint64_t target_time() const { return target_time_; }
  const ThreadClock& clock() const { return clock_; }

  // For a thread that goes on where another left off (fork): the target's clock goes on, and so do
  // the activations of `stack` (StackTracker::snapshot()).
  void start_at(uint64_t target_time, const std::vector<Frame>& stack);

  StackTracker& stack() { return stack_; }
  bool recording() const { return recording_; }

  // A batch of plain paths, at most this many: batches end where the codec's blocks do. Takes
  // those up to the first that is not plain, and returns how many they are.
  size_t most_batch() const {
    const uint64_t in_chunk = begun_ ? time_ + 1 - first_time_ : 0;
    return std::min<uint64_t>(StackTracker::kBatch, kWordBlock - in_chunk % kWordBlock);
  }
  size_t append_batch(std::span<const uint32_t> words);
  // One recorded path; it reaches the encoder with the others at settle().
  void append(uint8_t kind, uint32_t word);
  // The same plain path, again and again. Takes as many of `count` as fit in the codec's block, and
  // says how many.
  uint64_t append_run(uint8_t kind, uint32_t word, uint64_t count);
  // Paths that are left out by a filter, or were not registered.
  void skip(uint64_t count = 1) { target_time_ += count, drift(); }
  // A path between --stop and --start; several only of one that is no call and no return.
  void pass(uint8_t kind, uint64_t count = 1);
  // Hands the paths of append() to the encoder. Called at the end of a batch.
  void settle();

  void event(format::EventKind kind, std::vector<uint64_t> numbers = {});
  // Sets the row's time. Not between --stop and --start.
  void sync(SyncRow& row);
  // The stack above (or from) a slot is gone; says so in the trace if that changes anything.
  void cut(uint64_t slot, bool keep_slot, bool push_unknown);
  // The thread went to another stack: all that is known of this one is void.
  void switch_stack();
  // Between --stop and --start: pass() instead of append(). The reader's stack stands still until
  // the gap's end says what became of it; a chunk that begins meanwhile begins with that stack.
  void begin_gap();
  void end_gap();

  // The last path that is in the file, with its events.
  uint64_t written() const { return begun_ ? first_time_ - 1 : time_; }
  bool pending() const { return begun_ || syncs_.rows.count() + memory_.rows.count() != 0; }
  uint64_t chunks() const { return chunks_; }  // written so far
  // About how many bytes of the file what is pending will take.
  uint64_t pending_bytes() const;
  bool full() const;
  // Writes what is pending.
  Result<void> flush();

 private:
  Result<void> flush_control();
  // Operations that wait to be written.
  struct Operations {
    explicit Operations(WorkerPool* workers) : rows(workers) {}
    SyncRowsEncoder rows;
    uint64_t last_time = 0;
    uint64_t written = 0;  // in chunks before
  };
  Result<void> flush_operations(Operations& operations, bool memory);
  void begin();
  StackChange chunk_change() const;
  // At the end of a block: notes how deep the stack is, should another path follow.
  void end_block() {
    if ((time_ + 1 - first_time_) % kWordBlock == 0) depths_.push_back(stack_.depth());
  }
  void drift() { stack_.set_drift(target_time_ - time_); }

  const uint32_t thread_;
  StoreWriter& writer_;
  EncoderPool& encoders_;
  std::unique_ptr<WordEncoder> encoder_;  // while a chunk is begun
  const ThreadLogOptions options_;
  StackTracker stack_;
  uint64_t time_ = 0;
  uint64_t target_time_ = 0;
  bool recording_ = true;
  std::vector<uint32_t> unsettled_;
  std::vector<uint32_t> same_;  // the word of the last run, again and again
  ThreadClock clock_;

  bool begun_ = false;
  uint64_t chunks_ = 0;
  uint64_t first_time_ = 1;
  StackChange chunk_stack_;
  std::vector<uint64_t> depths_;
  std::vector<Event> events_;
  Operations syncs_, memory_;
  StackChange gap_stack_;  // in a gap: the stack of a chunk that begins in it
  uint64_t gap_depth_ = 0;
};

}  // namespace vestige
