#include "query/represent/control_grammar.h"

#include <functional>

#include "codec/sequitur/grammar_words.h"
#include "trace/depth.h"
#include "vestige/sync.h"

namespace vestige {

namespace {

// Memory goes with the grammar (its builder starts anew at 64 MiB) and with the depths, 8 bytes for each
// 128 Ki paths, so a chunk may be long. What is decoded to read it goes with its bytes.
constexpr uint64_t kMostPaths = uint64_t{1} << 32;

class ControlWriter {
 public:
  ControlWriter(const Trace& trace, uint32_t thread, StoreWriter& writer, SyncCursor sync)
      : state_(trace.state()),
        thread_(thread),
        writer_(writer),
        sync_(std::move(sync)),
        depths_(state_, thread) {
    more_sync_ = sync_.next();
  }

  Result<uint64_t> run(const std::function<void(uint64_t)>& progress) {
    const auto& chunks = state_.chunks[thread_];
    for (size_t c = 0; c < chunks.size(); ++c) {
      if (chunks[c].path_count == 0) continue;
      const bool goes_on = out_.path_count > 0 && out_.path_count < kMostPaths &&
                           out_.first_time + out_.path_count == chunks[c].first_time;
      if (!goes_on) {
        if (auto done = end_chunk(); !done) return std::unexpected(done.error());
        if (auto begun = begin_chunk(c); !begun) return std::unexpected(begun.error());
      }
      if (auto added = add(c); !added) return std::unexpected(added.error());
      if (progress) progress(chunks[c].path_count);
    }
    if (auto done = end_chunk(); !done) return std::unexpected(done.error());
    if (const Error* error = sync_.error()) return std::unexpected(*error);
    return bytes_;
  }

 private:
  Result<void> begin_chunk(size_t c) {
    auto frames = stack_at_chunk(state_, thread_, c);
    if (!frames) return std::unexpected(std::move(frames.error()));
    out_ = {};
    out_.thread = thread_;
    out_.first_time = state_.chunks[thread_][c].first_time;
    out_.codec = WordCodec::sequitur;
    out_.stack.keep = 0;
    out_.stack.frames = std::move(*frames);
    // Operations of paths that are missing have no place in this grammar.
    while (more_sync_ && sync_.operation().time < out_.first_time && out_.first_time > 1)
      more_sync_ = sync_.next();
    marks(0);
    return {};
  }

  Result<void> add(size_t c) {
    const auto view = state_.view(thread_, c);
    if (!view) return std::unexpected(view.error());
    auto events = state_.events(state_.chunks[thread_][c], *view);
    if (!events) return std::unexpected(std::move(events.error()));
    for (Event& event : *events) out_.events.push_back(std::move(event));
    auto cursor = WordCursor::open(view->codec, view->words);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    for (uint32_t word = 0; cursor->next(word);) {
      const uint64_t time = out_.first_time + out_.path_count;
      if (out_.path_count > 0 && out_.path_count % kWordBlock == 0) {
        const auto depth = depths_.after(time - 1);
        if (!depth) return std::unexpected(depth.error());
        out_.depths.push_back(*depth);
      }
      pending_.push_back(word);
      ++out_.path_count;
      if (more_sync_ && sync_.operation().time <= time) marks(time);
      if (pending_.size() >= kWordBlock) flush();
    }
    if (const Error* error = cursor->error()) return std::unexpected(*error);
    return {};
  }

  // The operations up to this time, behind the words so far.
  void marks(uint64_t time) {
    if (more_sync_ && sync_.operation().time <= time) flush();
    for (; more_sync_ && sync_.operation().time <= time; more_sync_ = sync_.next()) encoder_.mark();
  }
  void flush() {
    encoder_.append(pending_);
    pending_.clear();
  }

  Result<void> end_chunk() {
    if (out_.path_count == 0) return {};
    flush();
    out_.words = encoder_.finish();
    bytes_ += out_.words.size();
    return writer_.append(out_);
  }

  const Trace::State& state_;
  const uint32_t thread_;
  StoreWriter& writer_;
  SyncCursor sync_;
  DepthMap depths_;
  bool more_sync_ = false;
  ControlChunk out_;
  GrammarWordsEncoder encoder_;
  std::vector<uint32_t> pending_;
  uint64_t bytes_ = 0;
};

}  // namespace

Result<uint64_t> write_control(const Trace& trace, uint32_t thread, StoreWriter& writer,
                               const std::function<void(uint64_t)>& progress) {
  auto sync = SyncCursor::open(trace, thread);
  if (!sync) return std::unexpected(std::move(sync.error()));
  return ControlWriter(trace, thread, writer, std::move(*sync)).run(progress);
}

}  // namespace vestige
