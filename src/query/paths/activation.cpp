#include "query/paths/activation.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace vestige {

namespace {

using namespace sequitur;

// Stands between two terminals and goes back. `depth` is that of the activation that is innermost
// there, relative to where it began.
class BackwardCursor {
 public:
  // Before the path with this time.
  BackwardCursor(const WholePaths::Thread& thread, uint64_t time) : thread_(thread) {
    const auto& chunks = thread.by_rule.chunks();
    const auto behind = std::ranges::upper_bound(chunks, time, {}, &PathChunk::first_time);
    if (behind == chunks.begin()) return;
    chunk_ = static_cast<size_t>(behind - chunks.begin()) - 1;
    part_ = chunks[chunk_].part;
    descend(chunks[chunk_].begin, chunks[chunk_].end, time - chunks[chunk_].first_time);
  }

  const Terminal* ahead() const { return ahead_; }

  // The last terminal before that reaches `level` or less; nullptr when there is none. depth() is
  // that in front of it then, and time_back() how far back it begins.
  const Terminal* prev(int64_t level) {
    while (true) {
      if (frames_.empty()) {
        if (!enter_chunk_before(level)) return nullptr;
        continue;
      }
      Frame& frame = frames_.back();
      if (frame.alike != 0)
        back_ += std::exchange(frame.alike, 0) *
                 grammar().extent(grammar().run(frame.place).symbol).times;
      if (frame.place == frame.begin && frame.done == 0) {
        frames_.pop_back();
        continue;
      }
      if (frame.done == 0) {
        --frame.place;
        frame.done = grammar().run(frame.place).count;
      }
      const Run run = grammar().run(frame.place);
      const Extent one = grammar().extent(run.symbol);
      const Extent all = repeated(one, frame.done);
      if (depth_ - all.net + all.lowest > level) {
        depth_ -= all.net;
        back_ += all.times;
        frame.done = 0;
        continue;
      }
      // One repetition at a time, from the last. Where it ends as deep as it began, those before it
      // hold nothing else: who goes on found nothing in it.
      --frame.done;
      if (one.net == 0) frame.alike = std::exchange(frame.done, 0);
      if (depth_ - one.net + one.lowest > level || !is_rule(run.symbol)) {
        const bool reached = depth_ - one.net + one.lowest <= level;
        depth_ -= one.net;
        back_ += one.times;
        if (reached) return &grammar().terminals[run.symbol];
        continue;
      }
      const uint32_t rule = rule_of(run.symbol);
      frames_.push_back({grammar().begin(rule), grammar().ends[rule], 0});
    }
  }
  int64_t depth() const { return depth_; }
  uint64_t time_back() const { return back_; }

 private:
  // What is before the cursor in a body: all places before `place`, and `done` repetitions there;
  // `alike` more only take time.
  struct Frame {
    uint32_t begin, place;
    uint64_t done;
    uint64_t alike = 0;
  };
  const PathGrammar& grammar() const { return thread_.parts[part_]; }

  void descend(uint32_t begin, uint32_t end, uint64_t times) {
    for (uint32_t place = begin; place < end;) {
      const Run run = grammar().run(place);
      const Extent one = grammar().extent(run.symbol);
      const uint64_t all = one.times * run.count;
      // What takes no time happens before the path that follows it.
      if (times >= all) {
        times -= all;
        ++place;
        continue;
      }
      frames_.push_back({begin, place, times / one.times});
      times %= one.times;
      if (!is_rule(run.symbol)) {
        ahead_ = &grammar().terminals[run.symbol];
        return;
      }
      begin = place = grammar().begin(rule_of(run.symbol));
      end = grammar().ends[rule_of(run.symbol)];
    }
    frames_.push_back({begin, end, 0});
  }

  bool enter_chunk_before(int64_t level) {
    const auto& chunks = thread_.by_rule.chunks();
    while (chunk_ > 0) {
      const PathChunk& chunk = chunks[--chunk_];
      if (depth_ - chunk.extent.net + chunk.extent.lowest > level) {
        depth_ -= chunk.extent.net;
        back_ += chunk.extent.times;
        continue;
      }
      part_ = chunk.part;
      frames_.push_back({chunk.begin, chunk.end, 0});
      return true;
    }
    return false;
  }

  const WholePaths::Thread& thread_;
  uint32_t part_ = 0;
  size_t chunk_ = 0;
  std::vector<Frame> frames_;
  int64_t depth_ = 0;
  uint64_t back_ = 0;
  const Terminal* ahead_ = nullptr;
};

}  // namespace

PathSearch::Activation find_activation(const WholePaths::Thread& thread, uint64_t time) {
  BackwardCursor cursor(thread, time);
  if (!cursor.ahead()) return {};
  if (cursor.ahead()->enters) return {time, cursor.ahead()->caller};
  const Terminal* entry = cursor.prev(-1);
  if (!entry || !entry->enters) return {};
  return {time - cursor.time_back(), entry->caller};
}

uint32_t innermost_function(const WholePaths::Thread& thread, uint64_t time) {
  BackwardCursor cursor(thread, time);
  while (const Terminal* terminal = cursor.prev(0)) {
    const int64_t level = cursor.depth() + terminal->enters;
    if (terminal->path != kNone && level == 0) return terminal->function;
    if (cursor.depth() + terminal->lowest < 0) return kNone;
  }
  return kNone;
}

}  // namespace vestige
