// How deep the call stack was after each path of a thread, for walks in either direction.
//
// Depth goes up and down by path, but cannot be undone by path: a return on an empty stack leaves
// it empty. So depth is always computed forwards, one window (codec block) at a time, from the
// starting size that the chunk holds for each.
//
// One owner thread. Memory: two windows of words and sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/chunks.h"
#include "trace/state.h"

namespace vestige {

class DepthMap {
 public:
  DepthMap(const Trace::State& trace, uint32_t thread) : trace_(trace), thread_(thread) {}

  // Activations on the stack after the path with this time, before the events at that time. For the
  // time before a chunk's first path that no other chunk has: the stack that chunk starts with.
  Result<uint64_t> after(uint64_t time);

 private:
  Result<void> enter_chunk(size_t chunk);
  Result<void> enter_window(uint64_t window);

  const Trace::State& trace_;
  uint32_t thread_;
  std::optional<size_t> chunk_;
  std::optional<WordCursor> words_;
  std::vector<Event> resyncs_;          // of the chunk
  std::vector<uint64_t> window_start_;  // stack size before each window, before its first events
  uint64_t window_ = UINT64_MAX;        // the one whose sizes follow
  std::vector<uint32_t> sizes_;         // after each path of the window
};

}  // namespace vestige
