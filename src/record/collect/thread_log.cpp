#include "record/collect/thread_log.h"

#include <algorithm>

namespace vestige {

namespace {

// Decoders refuse more events than 2^20 in a chunk.
constexpr size_t kMostEvents = 256 * 1024;
constexpr uint64_t kMostSyncs = 1024 * 1024;  // in a chunk

}  // namespace

ThreadLog::ThreadLog(uint32_t thread, const uint8_t* kinds, StoreWriter& writer,
                     EncoderPool& encoders, ThreadLogOptions options)
    : thread_(thread),
      writer_(writer),
      encoders_(encoders),
      options_(options),
      stack_(kinds),
      syncs_(encoders.workers()),
      memory_(encoders.workers()) {}

void ThreadLog::start_at(uint64_t target_time, const std::vector<Frame>& stack) {
  target_time_ = target_time;
  drift();
  stack_.inherit(stack);
  clock_.note(target_time, 0);
}

size_t ThreadLog::append_batch(std::span<const uint32_t> words) {
  if (!begun_) begin();
  words = words.first(stack_.run(words, time_));
  if (words.empty()) return 0;
  encoder_->append(words);
  time_ += words.size();
  target_time_ += words.size();
  end_block();
  return words.size();
}

void ThreadLog::append(uint8_t kind, uint32_t word) {
  if (!begun_) begin();
  ++target_time_;
  stack_.step(kind, word, ++time_);
  unsettled_.push_back(word);
  end_block();
}

uint64_t ThreadLog::append_run(uint8_t kind, uint32_t word, uint64_t count) {
  if (!begun_) begin();
  settle();
  const uint64_t taken = std::min(count, kWordBlock - (time_ + 1 - first_time_) % kWordBlock);
  constexpr size_t kAtOnce = 1024;
  const size_t most = std::min<uint64_t>(taken, kAtOnce);
  if (same_.size() < most || same_[0] != word) same_.assign(most, word);
  for (uint64_t left = taken; left != 0;) {
    const uint64_t n = std::min<uint64_t>(left, most);
    encoder_->append(std::span(same_).first(n));
    left -= n;
  }
  time_ += taken;
  target_time_ += taken;
  stack_.step(kind, word, time_);
  end_block();
  return taken;
}

void ThreadLog::pass(uint8_t kind, uint64_t count) {
  target_time_ += count;
  stack_.step_unrecorded(kind, target_time_);
}

void ThreadLog::settle() {
  if (!unsettled_.empty()) encoder_->append(unsettled_);
  unsettled_.clear();
  clock_.note(target_time_, time_);
}

void ThreadLog::begin() {
  begun_ = true;
  encoder_ = encoders_.take();
  first_time_ = time_ + 1;
  if (recording_) {
    chunk_stack_ = chunk_change();
    stack_.set_mark(StackTracker::chunk);
  } else {
    chunk_stack_ = gap_stack_;
    if (!options_.last) gap_stack_ = {.keep = gap_depth_, .frames = {}};
    stack_.set_mark(StackTracker::chunk, StackTracker::reader);
  }
}

// With --last the chunks before may go, so each chunk carries its whole stack.
StackChange ThreadLog::chunk_change() const {
  return stack_.change(options_.last ? 0 : stack_.low(StackTracker::chunk));
}

void ThreadLog::event(format::EventKind kind, std::vector<uint64_t> numbers) {
  if (!begun_) begin();
  Event& event = events_.emplace_back();
  event.kind = kind;
  event.time = time_;
  event.numbers = std::move(numbers);
}

void ThreadLog::sync(SyncRow& row) {
  if (!recording_) return;
  Operations& operations = is_memory(row.kind) ? memory_ : syncs_;
  row.time = operations.last_time = time_;
  operations.rows.append(row);
}

void ThreadLog::cut(uint64_t slot, bool keep_slot, bool push_unknown) {
  if (keep_slot && slot == stack_.top()) return;
  if (recording_ && !begun_) begin();
  keep_slot ? stack_.cut_to(slot) : stack_.cut_below(slot);
  // Slot 0 is the unknown outer activation already.
  if (push_unknown && slot > 0) stack_.push_unknown(target_time_);
  if (!recording_) return;
  Event& event = events_.emplace_back();
  event.kind = format::EventKind::resync;
  event.time = time_;
  event.reason = format::ResyncReason::unwound;
  event.stack = stack_.change(keep_slot ? slot + 1 : slot);
}

void ThreadLog::switch_stack() {
  if (recording_ && !begun_) begin();
  stack_.clear();
  stack_.push_unknown(target_time_);
  if (!recording_) return;
  Event& event = events_.emplace_back();
  event.kind = format::EventKind::resync;
  event.time = time_;
  event.reason = format::ResyncReason::switched;
  event.stack = stack_.change(0);
}

void ThreadLog::begin_gap() {
  gap_stack_ = chunk_change();
  gap_depth_ = stack_.depth();
  stack_.set_mark(StackTracker::reader);
  recording_ = false;
}

void ThreadLog::end_gap() {
  if (!begun_) begin();
  recording_ = true;
  drift();
  Event& event = events_.emplace_back();
  event.kind = format::EventKind::resync;
  event.time = time_;
  event.reason = format::ResyncReason::gap;
  event.stack = stack_.change(stack_.low(StackTracker::reader));
}

bool ThreadLog::full() const {
  if (syncs_.rows.count() >= kMostSyncs || memory_.rows.count() >= kMostSyncs) return true;
  if (options_.chunk_bytes != UINT64_MAX && pending_bytes() >= options_.chunk_bytes) return true;
  return begun_ &&
         (time_ + 1 - first_time_ >= options_.chunk_paths || events_.size() >= kMostEvents);
}

uint64_t ThreadLog::pending_bytes() const {
  const uint64_t operations = syncs_.rows.encoded_bytes() + memory_.rows.encoded_bytes();
  if (!begun_) return operations;
  // Words not yet encoded, and events, by what they usually come to.
  const uint64_t unencoded = encoder_->size() % kWordBlock / 64;
  return encoder_->encoded_bytes() + unencoded + events_.size() * 2 + 128 + operations;
}

Result<void> ThreadLog::flush() {
  settle();
  if (auto ok = flush_control(); !ok) return ok;
  if (auto ok = flush_operations(syncs_, false); !ok) return ok;
  if (auto ok = flush_operations(memory_, true); !ok) return ok;
  return options_.last ? writer_.keep_last(thread_, options_.last) : Result<void>{};
}

Result<void> ThreadLog::flush_operations(Operations& operations, bool memory) {
  if (operations.rows.count() == 0) return {};
  SyncChunk chunk;
  chunk.memory = memory;
  chunk.thread = thread_;
  chunk.first = operations.written;
  chunk.count = operations.rows.count();
  chunk.atomics = operations.rows.atomics();
  chunk.last_time = operations.last_time;
  chunk.rows = operations.rows.finish();
  operations.written += chunk.count;
  ++chunks_;
  return writer_.append(chunk);
}

Result<void> ThreadLog::flush_control() {
  // A chunk without anything in it stays begun: its stack is taken already.
  if (!begun_ || (time_ + 1 == first_time_ && events_.empty())) return {};
  ControlChunk chunk;
  chunk.thread = thread_;
  chunk.first_time = first_time_;
  chunk.path_count = time_ + 1 - first_time_;
  chunk.stack = std::move(chunk_stack_);
  chunk.depths = std::move(depths_);
  if (!chunk.depths.empty() && chunk.depths.size() * kWordBlock == chunk.path_count)
    chunk.depths.pop_back();  // no block follows
  chunk.events = std::move(events_);
  chunk.codec = encoders_.codec();
  chunk.words = encoder_->finish();
  encoders_.give(std::move(encoder_));
  begun_ = false;
  ++chunks_;
  chunk_stack_ = {};
  depths_.clear();
  events_.clear();
  return writer_.append(chunk);
}

}  // namespace vestige
