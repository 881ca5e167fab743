#include "query/slice/path_steps.h"

#include <algorithm>

#include "trace/eval/event_feed.h"

namespace vestige {

CallNames::CallNames(const Trace& trace) : trace_(trace) {
  std::unordered_map<std::string_view, uint32_t> numbers;
  for (const Function& function : trace.functions())
    names_.push_back(
        numbers.try_emplace(function.name, static_cast<uint32_t>(numbers.size())).first->second);
  for (const Function& function : trace.functions()) {
    std::vector<uint32_t>& symbols = symbols_.emplace_back();
    for (const std::string& symbol : function.symbols) {
      const auto found = numbers.find(symbol);
      symbols.push_back(found == numbers.end() ? kNone : found->second);
    }
  }
}

bool CallNames::may_call(const Path& caller, uint32_t callee) const {
  const Function& function = trace_.functions()[caller.function];
  const uint32_t call = stopped_at(function, caller);
  if (call == kNone || caller.end == SegmentEnd::sync) return false;
  const uint32_t symbol = function.statements[call].callee;
  return symbol == kNone || symbols_[caller.function][symbol] == names_[callee];
}

uint32_t stopped_at(const Function& function, const Path& path) {
  const Segment& last = function.segments[path.segments.back()];
  if (last.statement_count == 0 || (last.end != SegmentEnd::call && last.end != SegmentEnd::sync &&
                                    last.end != SegmentEnd::tail_call))
    return kNone;
  return last.first_statement + last.statement_count - 1;
}

Result<PathSteps> PathSteps::open(const Trace& trace, uint32_t thread, const CallNames& names) {
  auto cursor = trace.walk(thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  PathSteps steps(trace, thread, names, std::move(*cursor));
  if (auto read = steps.read_events(); !read) return std::unexpected(std::move(read.error()));
  return steps;
}

Result<void> PathSteps::read_events() {
  EventFeed feed(*trace_, thread_);
  if (auto first = feed.advance(); !first) return first;
  while (feed.next_time() != UINT64_MAX) {
    const Event& event = feed.next();
    if (event.kind == format::EventKind::resync) {
      Change change{event.time, event.stack.keep, {}};
      for (const vestige::Frame& frame : event.stack.frames) {
        const Path* path = frame.path == 0 ? nullptr : trace_->path(frame.path);
        change.frames.push_back({path, frame.time, path ? path->function : kNone});
      }
      changes_.push_back(std::move(change));
    }
    if (auto next = feed.advance(); !next) return next;
  }
  return {};
}

// The first path, or the first behind a hole.
Result<void> PathSteps::begin_at(uint64_t time) {
  auto stack = trace_->stack(thread_, time - 1);
  if (!stack) return std::unexpected(std::move(stack.error()));
  at_ = {};
  for (const Trace::StackFrame& frame : *stack) {
    const Path* path = frame.path == 0 ? nullptr : trace_->path(frame.path);
    at_.stack.push_back({path, frame.time, path ? path->function : kNone});
  }
  lowest_ = 0;
  while (next_change_ < changes_.size() && changes_[next_change_].time < time) ++next_change_;
  return {};
}

Result<bool> PathSteps::next(PathStep& step) {
  if (!cursor_.next()) {
    if (cursor_.error()) return std::unexpected(*cursor_.error());
    return false;
  }
  const Path& path = cursor_.path();
  step = {};
  step.time = cursor_.time();
  step.path = &path;
  if (at_.time == 0 || step.time != at_.time + 1) {
    if (at_.time != 0) step.kept = 0;
    if (auto begun = begin_at(step.time); !begun) return std::unexpected(std::move(begun.error()));
  }
  std::vector<Frame>& stack = at_.stack;
  for (; next_change_ < changes_.size() && changes_[next_change_].time < step.time;
       ++next_change_) {
    const Change& change = changes_[next_change_];
    if (change.keep < stack.size()) stack.resize(change.keep);
    step.kept = std::min(step.kept, static_cast<uint32_t>(std::min(change.keep, stack.size())));
    touch(static_cast<uint32_t>(stack.size()));
    stack.insert(stack.end(), change.frames.begin(), change.frames.end());
    at_.last = nullptr;
  }

  uint32_t root = path.function;
  if (path.enters) {
    step.level = static_cast<uint32_t>(stack.size());
    step.tail_called = at_.last && at_.last->end == SegmentEnd::tail_call;
    step.has_caller = step.tail_called || !stack.empty();
    const bool right_before =
        at_.last && (step.tail_called || (!stack.empty() && stack.back().time == at_.time));
    step.called = right_before && names_->may_call(*at_.last, path.function);
    if (step.called && step.tail_called) root = at_.last_root;
    touch(step.level);
    stack.push_back({&path, step.time, root});
  } else {
    if (stack.empty()) stack.push_back({});
    Frame& top = stack.back();
    step.level = static_cast<uint32_t>(stack.size()) - 1;
    touch(step.level);
    if (top.last && top.last->function == path.function) {
      step.before = top.last;
      step.before_time = top.time;
      root = top.root;
      step.returned = at_.last && at_.last->end == SegmentEnd::ret &&
                      at_.last_level == step.level + 1 && at_.last_root != kNone &&
                      names_->may_call(*top.last, at_.last_root);
    }
    top = {&path, step.time, root};
  }
  if (path.leaves) stack.pop_back();
  at_.time = step.time;
  at_.last = &path;
  at_.last_level = step.level;
  at_.last_root = root;
  return true;
}

void PathSteps::go_to(Position position) {
  at_ = std::move(position);
  cursor_.stand_before(at_.time + 1);
  next_change_ = 0;
  if (at_.time != 0) {
    const auto found = std::ranges::lower_bound(changes_, at_.time, {}, &Change::time);
    next_change_ = static_cast<size_t>(found - changes_.begin());
  }
  lowest_ = static_cast<uint32_t>(at_.stack.size());
}

void PositionTrail::keep(const PathSteps::Position& position, uint32_t lowest) {
  if (kept_.empty()) lowest = 0;
  Kept& kept = kept_.emplace_back();
  kept.from = std::min<uint32_t>(lowest, static_cast<uint32_t>(position.stack.size()));
  kept.position.time = position.time;
  kept.position.last = position.last;
  kept.position.last_level = position.last_level;
  kept.position.last_root = position.last_root;
  kept.position.stack.assign(position.stack.begin() + kept.from, position.stack.end());
}

PathSteps::Position PositionTrail::at(size_t number) const {
  PathSteps::Position position = kept_[number].position;
  std::vector<PathSteps::Frame>& stack = position.stack;
  // From the top down: what lies lower is as it was when it last changed.
  std::vector<PathSteps::Frame> whole(kept_[number].from + stack.size());
  std::ranges::copy(stack, whole.begin() + kept_[number].from);
  uint32_t open = kept_[number].from;
  for (size_t i = number; open > 0 && i-- > 0;) {
    const Kept& kept = kept_[i];
    if (kept.from >= open) continue;
    std::copy_n(kept.position.stack.begin(), open - kept.from, whole.begin() + kept.from);
    open = kept.from;
  }
  stack = std::move(whole);
  return position;
}

}  // namespace vestige
