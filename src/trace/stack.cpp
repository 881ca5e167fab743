// Trace::stack: the stack at the start of a chunk comes from the small stack parts alone; from
// there the chunk's paths and events are replayed.
#include "trace/call_stack.h"
#include "trace/state.h"

namespace vestige {

namespace {

// Deeper than any stack of 16-byte frames a process can have; bounds what a hostile chunk makes us
// allocate.
constexpr uint64_t kMaxDepth = uint64_t{1} << 24;

}  // namespace

// Goes back over the chunks, taking from each the levels it alone still explains.
Result<std::vector<Frame>> stack_at_chunk(const Trace::State& state, uint32_t thread,
                                          size_t chunk) {
  std::vector<std::vector<Frame>> pieces;  // innermost first
  uint64_t levels = UINT64_MAX;            // still unexplained: [0, levels)
  for (size_t at = chunk;; --at) {
    const ChunkPlace& place = state.chunks[thread][at];
    auto view = state.view(thread, at);
    if (!view) return std::unexpected(std::move(view.error()));
    auto section = decode_stack(view->stack);
    if (!section) return std::unexpected(state.in_chunk(place, section.error()));
    StackChange* change = &section->change;
    if (change->keep > kMaxDepth) {
      return std::unexpected(
          state.in_chunk(place, {ErrorKind::corrupt, "its call stack is impossibly deep"}));
    }
    if (at == chunk) levels = change->keep + change->frames.size();
    if (levels > change->keep + change->frames.size()) {
      return std::unexpected(state.in_chunk(
          place, {ErrorKind::corrupt, "a later chunk keeps more frames than its call stack has"}));
    }
    if (levels > change->keep) {
      change->frames.resize(levels - change->keep);
      pieces.push_back(std::move(change->frames));
      levels = change->keep;
    }
    if (levels == 0) break;
    if (state.hole_before(thread, at)) {
      pieces.emplace_back(levels);  // what explains them is not in the file: unknown
      break;
    }
    if (at == 0) {
      return std::unexpected(state.in_chunk(
          place, {ErrorKind::corrupt, "its call stack keeps frames that never were"}));
    }
  }
  std::vector<Frame> frames;
  for (size_t i = pieces.size(); i-- > 0;)
    frames.insert(frames.end(), pieces[i].begin(), pieces[i].end());
  return frames;
}

Result<std::vector<Trace::StackFrame>> Trace::stack(uint32_t thread, uint64_t time) const {
  const State& s = *state_;
  if (auto known = s.check_thread(thread); !known) return std::unexpected(std::move(known.error()));
  const auto& chunks = s.chunks[thread];
  std::vector<StackFrame> result;
  if (chunks.empty()) return result;

  // The chunk of the next path, so that events between the two chunks are all seen; else the last.
  size_t chunk = s.chunk_at(thread, time + 1);
  if (chunk == chunks.size()) --chunk;
  if (time + 1 < chunks[chunk].first_time && chunk > 0)
    --chunk;  // a hole follows, or time is in one
  const ChunkPlace& place = chunks[chunk];
  if (time + 1 < place.first_time || time >= place.end_time()) {
    return fail(ErrorKind::usage, s.file + ": time " + std::to_string(time) + " is not in thread " +
                                      std::to_string(thread) + ", which has times " +
                                      std::to_string(chunks.front().first_time) + " to " +
                                      std::to_string(chunks.back().end_time() - 1));
  }

  auto frames = stack_at_chunk(s, thread, chunk);
  if (!frames) return std::unexpected(std::move(frames.error()));
  auto view = s.view(thread, chunk);
  if (!view) return std::unexpected(std::move(view.error()));
  auto events = s.events(place, *view);
  if (!events) return std::unexpected(std::move(events.error()));
  auto words = s.words(place, *view);
  if (!words) return std::unexpected(std::move(words.error()));

  CallStack stack(std::move(*frames));
  size_t next_event = 0;
  auto apply_events = [&](uint64_t upto) {
    for (; next_event < events->size() && (*events)[next_event].time <= upto; ++next_event) {
      const Event& event = (*events)[next_event];
      if (event.kind == format::EventKind::resync) stack.change(event.stack);
    }
  };
  for (uint64_t t = place.first_time; t <= time; ++t) {
    apply_events(t - 1);
    uint32_t word = 0;
    if (!words->next(word)) {
      static const Error kShort{ErrorKind::corrupt, "it holds fewer paths than it says"};
      return std::unexpected(s.in_chunk(place, words->error() ? *words->error() : kShort));
    }
    const Path* path = s.paths.find(word);
    if (!path) {
      return std::unexpected(s.in_chunk(
          place, {ErrorKind::corrupt, "time " + std::to_string(t) + ": no function has path id " +
                                          std::to_string(word)}));
    }
    stack.step(*path, t);
    if (stack.frames().size() >= kMaxDepth)
      return std::unexpected(
          s.in_chunk(place, {ErrorKind::unsupported, "its call stack is deeper than 2^24"}));
  }
  apply_events(time);
  result.reserve(stack.frames().size());
  for (const Frame& frame : stack.frames()) result.push_back({frame.path, frame.time});
  return result;
}

}  // namespace vestige
