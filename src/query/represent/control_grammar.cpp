#include "query/represent/control_grammar.h"

#include <algorithm>
#include <functional>

#include "codec/word/sequitur/grammar_words.h"
#include "trace/call_stack.h"
#include "vestige/sync.h"

namespace vestige {

namespace {

// A call stack is followed from the beginning of its chunk.
constexpr uint64_t kMostPaths = uint64_t{1} << 24;
constexpr size_t kMostEvents = size_t{1} << 19;  // readers refuse twice as many (docs/format.md)
// Reading so many symbols takes some 10 ms. Each grammar learns anew: measured on 2·10⁷ events of
// bzip2, which repeats itself little, half as many cost 5 % of the size, twice as many save as
// much.
constexpr uint64_t kMostSymbols = uint64_t{1} << 14;
constexpr size_t kAtOnce = 4096;  // words, between looks at the above
// Stacks of more frames than this are written as changes.
constexpr size_t kFlatFrames = 32;

class ControlWriter {
 public:
  ControlWriter(const Trace& trace, uint32_t thread, StoreWriter& writer, SyncIndexChunk& index,
                SyncCursor sync)
      : state_(trace.state()),
        thread_(thread),
        writer_(writer),
        index_(index),
        sync_(std::move(sync)) {
    next_sync();
  }

  Result<uint64_t> run(const std::function<void(uint64_t)>& progress) {
    const auto& chunks = state_.chunks[thread_];
    index_.walks = chunks.empty() || chunks[0].first_time == 1;
    for (size_t c = 0; c < chunks.size(); ++c) {
      if (chunks[c].path_count == 0) continue;
      if (!begun_ || time_ + 1 != chunks[c].first_time) {
        if (auto done = end_chunk(); !done) return std::unexpected(done.error());
        if (auto begun = begin_at(c); !begun) return std::unexpected(begun.error());
      }
      if (auto added = add(c); !added) return std::unexpected(added.error());
      if (progress) progress(chunks[c].path_count);
    }
    if (auto done = end_chunk(); !done) return std::unexpected(done.error());
    if (const Error* error = sync_.error()) return std::unexpected(*error);
    return bytes_;
  }

 private:
  // Where paths are missing in front: what is known of the stack is what the chunk says.
  Result<void> begin_at(size_t c) {
    auto frames = stack_at_chunk(state_, thread_, c);
    if (!frames) return std::unexpected(std::move(frames.error()));
    stack_ = CallStack(std::move(*frames));
    last_start_.clear();
    if (begun_) index_.walks = false;
    begun_ = true;
    time_ = state_.chunks[thread_][c].first_time - 1;
    // Operations of paths that are missing have no place in this grammar.
    while (more_sync_ && sync_.operation().time < time_ + 1 && time_ > 0) next_sync();
    begin_chunk();
    return {};
  }

  // Behind the path of time_, and the events that were seen.
  void begin_chunk() {
    out_ = {};
    out_.thread = thread_;
    out_.first_time = time_ + 1;
    out_.codec = WordCodec::sequitur;
    const std::vector<Frame>& frames = stack_.frames();
    size_t keep = 0;
    if (frames.size() > kFlatFrames)
      while (keep < std::min(frames.size(), last_start_.size()) &&
             frames[keep] == last_start_[keep])
        ++keep;
    out_.stack.keep = keep;
    out_.stack.frames.assign(frames.begin() + static_cast<std::ptrdiff_t>(keep), frames.end());
    last_start_ = frames;
    index_.chunks.push_back({more_sync_ ? sync_.operation().number - 1 : done_syncs_, 0});
    if (time_ == 0) marks();
  }

  Result<void> add(size_t c) {
    const auto view = state_.view(thread_, c);
    if (!view) return std::unexpected(view.error());
    auto events = state_.events(state_.chunks[thread_][c], *view);
    if (!events) return std::unexpected(std::move(events.error()));
    auto cursor = WordCursor::open(view->codec, view->words);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    size_t event = 0;
    const auto take_events = [&] {
      for (; event < events->size() && (*events)[event].time <= time_; ++event) {
        if ((*events)[event].kind == format::EventKind::resync)
          stack_.change((*events)[event].stack);
        out_.events.push_back(std::move((*events)[event]));
      }
    };
    take_events();
    for (uint32_t word = 0; cursor->next(word);) {
      if (must_end()) {
        if (auto done = end_chunk(); !done) return done;
        begin_chunk();
      }
      const Path* path = state_.paths.find(word);
      if (!path)
        return fail(ErrorKind::corrupt, state_.file + ": time " + std::to_string(time_ + 1) +
                                            ": no function has path id " + std::to_string(word));
      if (out_.path_count > 0 && out_.path_count % kWordBlock == 0) out_.depths.push_back(depth_);
      pending_.push_back(word);
      ++out_.path_count;
      ++time_;
      stack_.step(*path, time_);
      depth_ = stack_.frames().size();
      path_syncs_ += path->syncs;
      if (more_sync_ && sync_.operation().time <= time_) marks();
      if (pending_.size() >= kAtOnce) flush();
      if (event < events->size()) take_events();
    }
    if (const Error* error = cursor->error()) return std::unexpected(*error);
    return {};
  }

  bool must_end() const {
    return out_.path_count >= kMostPaths || out_.events.size() >= kMostEvents ||
           encoder_.symbols() >= kMostSymbols;
  }

  void next_sync() {
    if (more_sync_) done_syncs_ = sync_.operation().number;
    more_sync_ = sync_.next();
  }
  // The operations up to this time, behind the words so far.
  void marks() {
    flush();
    for (; more_sync_ && sync_.operation().time <= time_; next_sync()) {
      if (is_atomic(sync_.operation().kind)) index_.walks &= ++atomics_ == path_syncs_;
      encoder_.mark();
      ++index_.chunks.back().marks;
    }
  }
  void flush() {
    encoder_.append(pending_);
    pending_.clear();
  }

  Result<void> end_chunk() {
    if (!begun_ || out_.path_count == 0) return {};
    index_.walks &= atomics_ == path_syncs_;
    flush();
    out_.words = encoder_.finish();
    bytes_ += out_.words.size();
    return writer_.append(out_);
  }

  const Trace::State& state_;
  const uint32_t thread_;
  StoreWriter& writer_;
  SyncIndexChunk& index_;
  SyncCursor sync_;
  bool more_sync_ = false;
  uint64_t done_syncs_ = 0;  // the number of the last operation that was taken
  bool begun_ = false;
  uint64_t time_ = 0;  // of the last path
  CallStack stack_;
  uint64_t depth_ = 0;                     // behind that path, before the events
  std::vector<Frame> last_start_;          // the stack at the beginning of the chunk before
  uint64_t path_syncs_ = 0, atomics_ = 0;  // as paths and as operations tell of them
  ControlChunk out_;
  GrammarWordsEncoder encoder_;
  std::vector<uint32_t> pending_;
  uint64_t bytes_ = 0;
};

}  // namespace

Result<uint64_t> write_control(const Trace& trace, uint32_t thread, StoreWriter& writer,
                               SyncIndexChunk& index,
                               const std::function<void(uint64_t)>& progress) {
  auto sync = SyncCursor::open(trace, thread);
  if (!sync) return std::unexpected(std::move(sync.error()));
  return ControlWriter(trace, thread, writer, index, std::move(*sync)).run(progress);
}

}  // namespace vestige
