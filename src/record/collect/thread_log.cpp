#include "record/collect/thread_log.h"

#include <algorithm>

namespace vestige {

namespace {

// Decoders refuse more events than 2^20 in a chunk.
constexpr size_t kMostEvents = 256 * 1024;

}  // namespace

ThreadLog::ThreadLog(uint32_t thread, const uint8_t* kinds, StoreWriter& writer,
                     std::unique_ptr<WordEncoder> encoder, WordCodec codec,
                     ThreadLogOptions options)
    : thread_(thread),
      writer_(writer),
      encoder_(std::move(encoder)),
      codec_(codec),
      options_(options),
      stack_(kinds) {}

uint64_t ThreadLog::time_at(uint64_t target_time) const {
  const auto above = std::upper_bound(
      clock_.begin(), clock_.end(), target_time,
      [](uint64_t t, const std::pair<uint64_t, uint64_t>& sample) { return t < sample.first; });
  if (above == clock_.begin()) return target_time;
  const auto& [target, time] = *(above - 1);
  const uint64_t limit = above == clock_.end() ? UINT64_MAX : above->second;
  return std::min(time + (target_time - target), limit);
}

void ThreadLog::start_at(uint64_t target_time) {
  target_time_ = target_time;
  drift();
  if (target_time != 0) clock_.emplace_back(target_time, 0);
}

bool ThreadLog::append_batch(std::span<const uint32_t> words) {
  if (!begun_) begin();
  if (!stack_.run(words, time_)) return false;
  encoder_->append(words);
  time_ += words.size();
  target_time_ += words.size();
  return true;
}

void ThreadLog::append(uint8_t kind, uint32_t word) {
  if (!begun_) begin();
  ++target_time_;
  stack_.step(kind, word, ++time_);
  unsettled_.push_back(word);
}

void ThreadLog::pass(uint8_t kind) {
  ++target_time_;
  stack_.step_unrecorded(kind, target_time_);
}

void ThreadLog::settle() {
  if (!unsettled_.empty()) encoder_->append(unsettled_);
  unsettled_.clear();
  // The first sample is where the clocks part, so that earlier times read as they are.
  if (time_ != target_time_ && (clock_.empty() || clock_.back().first != target_time_))
    clock_.emplace_back(target_time_, time_);
}

void ThreadLog::begin() {
  begun_ = true;
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
  return begun_ && (time_ + 1 - first_time_ >= options_.chunk_paths || events_.size() >= kMostEvents);
}

Result<void> ThreadLog::flush() {
  settle();
  // A chunk without anything in it stays begun: its stack is taken already.
  if (!begun_ || (time_ + 1 == first_time_ && events_.empty())) return {};
  ControlChunk chunk;
  chunk.thread = thread_;
  chunk.first_time = first_time_;
  chunk.path_count = time_ + 1 - first_time_;
  chunk.stack = std::move(chunk_stack_);
  chunk.events = std::move(events_);
  chunk.codec = codec_;
  chunk.words = encoder_->finish();
  begun_ = false;
  chunk_stack_ = {};
  events_.clear();
  if (auto ok = writer_.append(chunk); !ok) return ok;
  return options_.last ? writer_.keep_last(thread_, options_.last) : Result<void>{};
}

}  // namespace vestige
