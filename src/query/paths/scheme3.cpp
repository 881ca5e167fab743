// Scheme 3 (section 4.3 of the path-matching paper): the chunks by time in which the function runs
// are read from the trace, whose paths decode from anywhere, and matched as in scheme 1; the others
// are passed over by their levels.
#include "query/paths/activation.h"
#include "query/paths/scan_search.h"
#include "trace/paths/terminal_stream.h"

namespace vestige {

namespace {

class ChunksSearch final : public ScanSearch {
 public:
  explicit ChunksSearch(const SearchSpace& space)
      : ScanSearch(space, space.whole.first_time),
        stream_(space.trace.state(), space.thread),
        holding_(space.whole.by_time.holding(space.pattern.options.function)),
        everywhere_(space.pattern.automaton.sees_calls() && !holding_.empty()) {}

 private:
  // Of the chunk that is being read, or of the next one that counts.
  Result<bool> refill() override {
    const auto& chunks = space_.whole.by_time.chunks();
    while (left_ == 0) {
      if (next_chunk_ == chunks.size()) return false;
      const PathChunk& chunk = chunks[next_chunk_++];
      bool held = everywhere_;
      if (next_held_ < holding_.size() && holding_[next_held_] == next_chunk_ - 1) {
        held = true;
        ++next_held_;
      }
      if (!held) {
        scanner_.pass(chunk.extent);
        stands_ = false;
        continue;
      }
      if (!stands_) {
        uint32_t innermost = kNone;
        if (space_.pattern.strict()) innermost = innermost_function(space_.whole, chunk.first_time);
        if (auto moved = stream_.seek(chunk.first_time, innermost); !moved)
          return std::unexpected(moved.error());
        rest_.clear();
        stands_ = true;
        time_ = chunk.first_time;
      }
      left_ = chunk.extent.times;
    }
    if (rest_.empty())
      if (auto read = stream_.read(rest_); !read) return std::unexpected(read.error());
    if (rest_.empty()) return false;
    scanner_.use(stream_.terminals(), false);
    // What lies behind the chunk is kept for the next one.
    size_t taken = 0;
    uint64_t times = 0;
    for (; taken < rest_.size() && times < left_; ++taken)
      times += stream_.terminals()[rest_[taken]].times;
    left_ -= std::min(times, left_);
    block_.assign(rest_.begin(), rest_.begin() + static_cast<ptrdiff_t>(taken));
    rest_.erase(rest_.begin(), rest_.begin() + static_cast<ptrdiff_t>(taken));
    return true;
  }

  TerminalStream stream_;
  const std::vector<uint32_t> holding_;
  const bool everywhere_;
  size_t next_chunk_ = 0, next_held_ = 0;
  bool stands_ = false;         // the stream stands at the next chunk
  uint64_t left_ = 0;           // times of the chunk that are still to be read
  std::vector<uint32_t> rest_;  // read from the stream, behind block_
};

}  // namespace

std::unique_ptr<Scheme> make_chunks_scheme(const SearchSpace& space) {
  return std::make_unique<ChunksSearch>(space);
}

}  // namespace vestige
