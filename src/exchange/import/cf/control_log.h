// Writes one thread's paths as control chunks, with its call stack at the start of each
// (trace/call_stack.h has the rules).
//
// Memory: the call stack, one block of words, and the compressed bytes of one chunk.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "codec/word_codec.h"
#include "store/writer.h"

namespace vestige::cf {

class ControlLog {
 public:
  ControlLog(StoreWriter& writer, uint32_t thread, uint64_t chunk_paths);

  Result<void> append(uint32_t path, bool enters, bool leaves) {
    step(path, enters, leaves);
    words_.push_back(path);
    return words_.size() == kWordBlock ? end_block() : Result<void>{};
  }
  // Writes what is left.
  Result<void> finish();
  uint64_t paths() const { return time_; }

 private:
  void step(uint32_t path, bool enters, bool leaves) {
    ++time_;
    if (enters) {
      if (!leaves) frames_.push_back({path, time_});
    } else if (frames_.empty()) {
      if (!leaves) frames_.push_back({path, time_});
    } else if (leaves) {
      frames_.pop_back();
      same_ = std::min(same_, frames_.size());
    } else {
      frames_.back() = {path, time_};
      same_ = std::min(same_, frames_.size() - 1);
    }
  }
  void begin_chunk();
  Result<void> end_block();
  Result<void> end_chunk();

  StoreWriter& writer_;
  const uint64_t chunk_paths_;
  std::unique_ptr<WordEncoder> encoder_;
  std::vector<uint32_t> words_;
  uint64_t time_ = 0;
  std::vector<Frame> frames_;
  size_t same_ = 0;     // of the frames at the chunk's start, the outermost that have not changed
  ControlChunk chunk_;  // all but its words
};

}  // namespace vestige::cf
