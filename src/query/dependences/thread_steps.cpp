#include "query/dependences/thread_steps.h"

#include "trace/eval/event_feed.h"

namespace vestige {

Result<void> ThreadSteps::open() {
  EventFeed feed(trace_, thread_);
  if (auto first = feed.advance(); !first) return first;
  while (feed.next_time() != UINT64_MAX) {
    const Event& event = feed.next();
    if (event.kind == format::EventKind::resync)
      changes_.push_back({event.time, event.stack.keep, event.stack.frames.size()});
    if (auto next = feed.advance(); !next) return next;
  }
  return {};
}

Result<void> ThreadSteps::begin_block(uint64_t time) {
  if (last_time() == 0 || !follows(time)) {
    auto stack = trace_.stack(thread_, time - 1);
    if (!stack) return std::unexpected(std::move(stack.error()));
    PathSteps::Position position;
    position.stack.resize(stack->size());
    steps_.go_to(std::move(position));
    while (next_change_ < changes_.size() && changes_[next_change_].time < time) ++next_change_;
  }
  steps_.begin_saving();
  return {};
}

bool ThreadSteps::next(const Path& path, uint64_t time, std::vector<PathSteps::Change>& changes,
                       PathStep& step) {
  for (; next_change_ < changes_.size() && changes_[next_change_].time < time; ++next_change_) {
    changes.push_back(changes_[next_change_]);
    steps_.change(changes_[next_change_]);
  }
  return steps_.next(path, time, step);
}

}  // namespace vestige
