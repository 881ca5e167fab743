#include "codec/stream/runs/strided_runs.h"

namespace vestige::section {

void StridedRunCursor::step(const DifferenceRun& run) {
  uint32_t terminal = 0;
  cursor_.next(terminal);
  position_ += run.count;
  value_ += run.difference * run.count;
}

DifferenceRun StridedRunCursor::step_back() {
  uint32_t terminal = 0;
  cursor_.prev(terminal);
  const DifferenceRun run = runs_.run(terminal);
  position_ -= run.count;
  value_ -= run.difference * run.count;
  return run;
}

bool StridedRunCursor::next(StridedRun& run) {
  if (cursor_.at_end()) return false;
  const DifferenceRun first = ahead();
  run = {position_, value_ + first.difference, first.difference, first.count};
  step(first);
  if (first.count > 1) return true;
  run.stride = 0;
  if (cursor_.at_end() || ahead().count == 1) return true;
  const DifferenceRun second = ahead();
  run.stride = second.difference;
  run.count = 1 + second.count;
  step(second);
  return true;
}

bool StridedRunCursor::prev(StridedRun& run) {
  if (position_ == 0) return false;
  const DifferenceRun last = step_back();
  if (last.count > 1 && position_ > 0) {
    const DifferenceRun before = step_back();
    if (before.count > 1) step(before);
  }
  StridedRunCursor(*this).next(run);
  return true;
}

bool StridedRunCursor::seek(uint64_t position) {
  if (position > runs_.size()) return false;
  if (position == runs_.size()) {
    cursor_.seek(runs_.grammar().size());
    position_ = position;
    value_ = runs_.sums().total();
    return true;
  }
  position_ = position - cursor_.seek(runs_.counts(), position);
  value_ = cursor_.before(runs_.sums());
  if (ahead().count > 1 && position_ > 0) {
    const DifferenceRun before = step_back();
    if (before.count > 1) step(before);
  }
  return true;
}

}  // namespace vestige::section
