#include "query/represent/pattern_cursor.h"

namespace vestige {

Result<PatternCursor> PatternCursor::open(const AccessChunk::Stream& stream) {
  PatternCursor cursor(stream);
  if (stream.codec == StreamCodec::runs) {
    auto runs = section::RunsGrammar::load(*stream.bytes);
    if (!runs) return std::unexpected(std::move(runs.error()));
    cursor.grammar_ = std::make_unique<const section::RunsGrammar>(std::move(*runs));
    cursor.runs_ = std::make_unique<section::StridedRunCursor>(*cursor.grammar_);
    return cursor;
  }
  auto numbers = open_stream(stream.codec, *stream.bytes);
  if (!numbers) return std::unexpected(std::move(numbers.error()));
  cursor.numbers_ = std::move(*numbers);
  cursor.has_ahead_ = cursor.numbers_->next(cursor.ahead_);
  return cursor;
}

bool PatternCursor::next(PatternRun& run) {
  if (numbers_) return next_of_numbers(run);
  section::StridedRun found;
  if (!runs_->next(found)) return false;
  run = {found.start + base_, found.stride, found.count};
  return true;
}

// Those that follow each other at one distance are a run.
bool PatternCursor::next_of_numbers(PatternRun& run) {
  if (!has_ahead_) return false;
  run = {ahead_ + base_, 0, 1};
  for (uint64_t last = ahead_; (has_ahead_ = numbers_->next(ahead_)); last = ahead_) {
    const uint64_t stride = ahead_ - last;
    if (run.count == 1) run.stride = stride;
    if (stride != run.stride) break;
    ++run.count;
  }
  return true;
}

bool LongestRuns::look() {
  return ahead_.count != 0 || (cursor_.next(ahead_) && ahead_.count != 0);
}

uint64_t LongestRuns::take() {
  const uint64_t address = ahead_.start;
  ahead_.start += ahead_.stride;
  --ahead_.count;
  return address;
}

bool LongestRuns::next(PatternRun& run) {
  if (!look()) return false;
  run = {take(), 0, 1};
  if (!look()) return true;
  run.stride = take() - run.start;
  run.count = 2;
  while (look() && ahead_.start == run.start + run.count * run.stride) {
    const uint64_t more = ahead_.stride == run.stride ? ahead_.count : 1;
    run.count += more;
    ahead_.start += more * ahead_.stride;
    ahead_.count -= more;
  }
  return true;
}

}  // namespace vestige
