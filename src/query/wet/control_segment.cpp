#include "query/wet/control_segment.h"

namespace vestige {

Result<void> ControlSegments::begin_segment(uint64_t time) {
  if (time != end_time_) {
    // Paths are missing: what the recording knows of the stack is all there is.
    auto frames = stack_at_chunk(state_, thread_, state_.chunk_at(thread_, time));
    if (!frames) return std::unexpected(std::move(frames.error()));
    stack_ = CallStack(std::move(*frames));
  }
  out_ = {};
  out_.thread = thread_;
  out_.first_time = time;
  out_.codec = WordCodec::nodes;
  out_.stack.frames = stack_.frames();
  open_ = true;
  return {};
}

Result<void> ControlSegments::take_events(uint64_t before) {
  while (feed_.next_time() < before) {
    const Event& event = feed_.next();
    if (event.kind == format::EventKind::resync) stack_.change(event.stack);
    out_.events.push_back(event);
    if (auto next = feed_.advance(); !next) return next;
  }
  return {};
}

Result<void> ControlSegments::add(const Path& path) {
  const uint64_t time = out_.first_time + out_.path_count;
  if (out_.path_count > 0 && out_.path_count % kWordBlock == 0)
    out_.depths.push_back(stack_.frames().size());
  if (auto taken = take_events(time); !taken) return taken;
  stack_.step(path, time);
  ++out_.path_count;
  words_.append({&path.id, 1});
  return {};
}

Result<ControlChunk> ControlSegments::finish(bool last) {
  end_time_ = out_.first_time + out_.path_count;
  // What comes at the last path's time is the next segment's, when that goes on there.
  const bool hole =
      !last && state_.chunks[thread_][state_.chunk_at(thread_, end_time_)].first_time > end_time_;
  if (last || hole)
    if (auto taken = take_events(end_time_); !taken) return std::unexpected(taken.error());
  out_.words = words_.finish();
  open_ = false;
  return std::move(out_);
}

}  // namespace vestige
