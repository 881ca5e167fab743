#include "query/dependences/path_steps.h"

#include <algorithm>

namespace vestige {

bool PathSteps::look(uint32_t level) {
  if (level < at_.base) return false;
  for (; lowest_ > level; --lowest_) saved_.push_back(at_.stack[lowest_ - 1 - at_.base]);
  return true;
}

PathSteps::Position PathSteps::saved() const {
  Position position = start_;
  position.base = lowest_;
  position.stack.assign(saved_.rbegin(), saved_.rend());
  return position;
}

void PathSteps::change(const Change& change) {
  if (change.keep < depth()) {
    const auto keep = static_cast<uint32_t>(change.keep);
    if (keep >= at_.base) {
      look(keep);
      at_.stack.resize(keep - at_.base);
    } else {
      at_.stack.clear();
      at_.base = keep;
      lowest_ = std::min(lowest_, keep);
    }
  }
  at_.stack.resize(at_.stack.size() + change.pushed);
  at_.last = nullptr;
}

bool PathSteps::next(const Path& path, uint64_t time, PathStep& step) {
  std::vector<Frame>& stack = at_.stack;
  step = {};
  step.time = time;
  step.path = &path;
  uint32_t root = path.function;
  if (path.enters) {
    step.level = depth();
    step.tail_called = at_.last && at_.last->end == SegmentEnd::tail_call;
    step.has_caller = step.tail_called || step.level > 0;
    if (step.tail_called) {
      step.caller_time = at_.time;
    } else if (step.level > 0) {
      if (!look(step.level - 1)) return false;
      step.caller_time = stack.back().time;
    }
    const bool right_before =
        at_.last && (step.tail_called || (step.level > 0 && step.caller_time == at_.time));
    step.called = right_before && names_->may_call(*at_.last, path.function);
    if (step.called && step.tail_called) root = at_.last_root;
    stack.push_back({&path, time, root});
  } else {
    if (depth() == 0) {
      stack.push_back({});
      lowest_ = std::min(lowest_, depth() - 1);
    }
    step.level = depth() - 1;
    if (!look(step.level)) return false;
    Frame& top = stack.back();
    if (top.last && top.last->function == path.function) {
      step.before = top.last;
      step.before_time = top.time;
      root = top.root;
      step.returned = at_.last && at_.last->end == SegmentEnd::ret &&
                      at_.last_level == step.level + 1 && at_.last_root != kNone &&
                      names_->may_call(*top.last, at_.last_root);
    }
    top = {&path, time, root};
  }
  if (path.leaves) stack.pop_back();
  at_.time = time;
  at_.last = &path;
  at_.last_level = step.level;
  at_.last_root = root;
  return true;
}

}  // namespace vestige
