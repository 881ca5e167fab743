// The control flow of a thread, cut into segments: what a control chunk of each has.
//
// One owner thread.
#pragma once

#include <optional>

#include "codec/word/nodes/node_words.h"
#include "store/writer.h"
#include "trace/call_stack.h"
#include "trace/eval/event_feed.h"
#include "trace/state.h"

namespace vestige {

class ControlSegments {
 public:
  // Both must outlive it.
  ControlSegments(const Trace& trace, uint32_t thread)
      : state_(trace.state()), thread_(thread), feed_(trace, thread) {}

  Result<void> begin() { return feed_.advance(); }
  // Whether the next path, of this time, must begin a segment: there is none, or paths are missing
  // before it.
  bool must_begin(uint64_t time) const {
    return !open_ || out_.first_time + out_.path_count != time;
  }
  // Whether a segment should begin soon: this one has many events.
  bool crowded() const { return out_.events.size() >= kManyEvents; }
  // Before the path of this time. No segment may be open.
  Result<void> begin_segment(uint64_t time);
  Result<void> add(const Path& path);
  bool open() const { return open_; }
  const ControlChunk& chunk() const { return out_; }
  // The chunk of the open one, which is over. `last`: no path follows.
  Result<ControlChunk> finish(bool last);

 private:
  static constexpr size_t kManyEvents = 1 << 19;
  Result<void> take_events(uint64_t before);

  const Trace::State& state_;
  const uint32_t thread_;
  EventFeed feed_;
  CallStack stack_;
  uint64_t end_time_ = 0;  // of the segment before; 0: there was none
  bool open_ = false;
  ControlChunk out_;
  NodeWordsEncoder words_;
};

}  // namespace vestige
