// One thread's part of the trace: follows its call stack, gathers its paths and events, and writes
// them as control chunks.
//
// A chunk begins with the first path or event after the last one was written, and is written when
// it is full, when something has been waiting in it for a second, and when the thread ends. Its
// stack is the one before that first path or event.
//
// Two clocks: `time` counts recorded paths and is the trace's; `target_time` counts all of them and
// is the one the program's own marks are in. They differ by what filters, --start/--stop and
// unregistered code left out.
//
// Thread safety: none; a log belongs to the worker that drains its ring.
#pragma once

#include <memory>

#include "record/collect/stack_tracker.h"
#include "store/writer.h"

namespace vestige {

struct ThreadLogOptions {
  uint64_t chunk_paths = 8 * 1024 * 1024;
  uint64_t last = 0;  // --last
};

class ThreadLog {
 public:
  ThreadLog(uint32_t thread, const uint8_t* kinds, StoreWriter& writer,
            std::unique_ptr<WordEncoder> encoder, WordCodec codec, ThreadLogOptions options);

  uint32_t thread() const { return thread_; }
  uint64_t time() const { return time_; }
  uint64_t target_time() const { return target_time_; }
  // The recorded time at which the thread had completed `target_time` paths; exact where the two
  // clocks never parted, else to within a batch.
  uint64_t time_at(uint64_t target_time) const;

  // For a thread that goes on where another left off (fork): the target's clock goes on as well.
  void start_at(uint64_t target_time);

  StackTracker& stack() { return stack_; }
  bool recording() const { return recording_; }

  // A batch of plain paths. False: one of them is not plain, nothing was taken.
  bool append_batch(std::span<const uint32_t> words);
  // One recorded path; it reaches the encoder with the others at settle().
  void append(uint8_t kind, uint32_t word);
  // One path that is left out by a filter, or was not registered.
  void skip() { ++target_time_, drift(); }
  // One path between --stop and --start.
  void pass(uint8_t kind);
  // Hands the paths of append() to the encoder. Called at the end of a batch.
  void settle();

  void event(format::EventKind kind, std::vector<uint64_t> numbers = {});
  // The stack above (or from) a slot is gone; says so in the trace if that changes anything.
  void cut(uint64_t slot, bool keep_slot, bool push_unknown);
  // Between --stop and --start: pass() instead of append(). The reader's stack stands still until
  // the gap's end says what became of it; a chunk that begins meanwhile begins with that stack.
  void begin_gap();
  void end_gap();

  bool pending() const { return begun_; }
  uint64_t pending_bytes() const { return begun_ && encoder_ ? encoder_->encoded_bytes() : 0; }
  bool full() const;
  // Writes what is pending.
  Result<void> flush();
  // The encoder, for the next thread's log.
  std::unique_ptr<WordEncoder> take_encoder() { return std::move(encoder_); }

 private:
  void begin();
  StackChange chunk_change() const;
  void drift() { stack_.set_drift(target_time_ - time_); }

  const uint32_t thread_;
  StoreWriter& writer_;
  std::unique_ptr<WordEncoder> encoder_;
  const WordCodec codec_;
  const ThreadLogOptions options_;
  StackTracker stack_;
  uint64_t time_ = 0;
  uint64_t target_time_ = 0;
  bool recording_ = true;
  std::vector<uint32_t> unsettled_;
  std::vector<std::pair<uint64_t, uint64_t>> clock_;  // (target time, time), while they differ

  bool begun_ = false;
  uint64_t first_time_ = 1;
  StackChange chunk_stack_;
  std::vector<Event> events_;
  StackChange gap_stack_;  // in a gap: the stack of a chunk that begins in it
  uint64_t gap_depth_ = 0;
};

}  // namespace vestige
