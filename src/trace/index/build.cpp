// One evaluation per thread, window by window: each writes its keyframe, what it was told and how
// often its paths ran.
#include <algorithm>
#include <mutex>
#include <new>

#include "trace/eval/evaluator.h"
#include "trace/index/index_place.h"
#include "trace/index/shared_progress.h"
#include "trace/index/window_bytes.h"
#include "trace/parallel.h"
#include "trace/told/process_addresses.h"
#include "trace/told/told.h"
#include "vestige/index.h"

namespace vestige {

namespace {

// What comes by is kept until it is dropped.
class KeptSurprises final : public ToldValueSource {
 public:
  explicit KeptSurprises(ToldValueSource& from) : from_(from) {}
  bool next(ToldValue& told_value) override {
    if (!from_.next(told_value)) return false;
    kept_.push_back(told_value);
    return true;
  }
  // Those up to number `end`, counted from the thread's beginning; they are dropped.
  std::vector<ToldValue> take(uint64_t end) {
    const auto split = kept_.begin() + static_cast<ptrdiff_t>(end - dropped_);
    std::vector<ToldValue> taken(kept_.begin(), split);
    kept_.erase(kept_.begin(), split);
    dropped_ = end;
    return taken;
  }

 private:
  ToldValueSource& from_;
  std::vector<ToldValue> kept_;
  uint64_t dropped_ = 0;
};

class ThreadIndexer {
 public:
  ThreadIndexer(const Trace& trace, uint32_t thread, uint64_t window_statements,
                IndexWriter& writer, SharedProgress& progress)
      : chunks_(trace.state().chunks[thread]),
        thread_(thread),
        window_statements_(std::max<uint64_t>(window_statements, 1)),
        writer_(writer),
        progress_(progress),
        told_(trace.state(), thread),
        kept_(told_) {
    for (const ChunkPlace& chunk : chunks_)
      if (chunk.path_count > 0) end_ = chunk.end_time();
  }

  Result<void> run(const Trace& trace, const ProcessAddresses& addresses) {
    auto evaluator = Evaluator::open(trace, thread_, addresses.inputs(thread_, &kept_));
    if (!evaluator) return std::unexpected(std::move(evaluator.error()));
    if (auto begun = evaluator->inherit(); !begun) return begun;
    for (uint64_t next = chunks_.front().first_time; next < end_;) {
      const auto last = add_window(*evaluator, next);
      if (!last) return std::unexpected(last.error());
      if (*last == UINT64_MAX) break;
      next = *last + 1;
    }
    return {};
  }

  IndexReport report;

 private:
  // The time of the window's last path; UINT64_MAX when it is the thread's last window.
  Result<uint64_t> add_window(Evaluator& evaluator, uint64_t from) {
    const auto [first, stretch_end] = next_stretch(from);
    WindowRecord record;
    record.told_before = evaluator.told_taken();
    const uint64_t statements = evaluator.statements();
    record.keyframe = evaluator.begin_window(notes_);
    auto paths = evaluator.run(stretch_end - first, statements + window_statements_);
    // Keyframes do not know of values that are lost, so the window where they are is the last.
    const bool ends = paths && (*paths == 0 || evaluator.time() + 1 >= end_ || evaluator.lost());
    // What is behind the last path belongs to the last window.
    if (ends)
      if (auto rest = evaluator.run(); !rest) paths = std::unexpected(std::move(rest.error()));
    evaluator.finish_window(record.keyframe);

    IndexedWindow window;
    window.first_time = first;
    window.complete = paths && !told_.error();
    window.last_time = ends || !window.complete ? UINT64_MAX : evaluator.time();
    window.statements = evaluator.statements() - statements;
    auto told = kept_.take(evaluator.told_taken());
    Bytes counts;
    if (window.complete) {
      record.told = std::move(told);
      counts = encode_counts(notes_.counts());
    }
    if (auto written = writer_.append(thread_, window, encode_window(record), counts); !written)
      return std::unexpected(std::move(written.error()));
    ++report.windows;
    report.statements += window.statements;
    report.paths += paths.value_or(0);
    progress_.add(paths.value_or(0));
    return window.last_time;
  }

  // The first path from this time on, and the end of the times that follow it without a hole.
  std::pair<uint64_t, uint64_t> next_stretch(uint64_t from) const {
    size_t chunk = 0;
    while (chunks_[chunk].end_time() <= from || chunks_[chunk].path_count == 0) ++chunk;
    const uint64_t first = std::max(from, chunks_[chunk].first_time);
    uint64_t end = chunks_[chunk].end_time();
    while (++chunk < chunks_.size() && chunks_[chunk].first_time == end)
      end = chunks_[chunk].end_time();
    return {first, end};
  }

  const std::vector<ChunkPlace>& chunks_;
  const uint32_t thread_;
  const uint64_t window_statements_;
  IndexWriter& writer_;
  SharedProgress& progress_;
  ToldValues told_;
  KeptSurprises kept_;
  uint64_t end_ = 0;  // behind the thread's last path
  WindowNotes notes_;
};

// With fewer paths a thread is a window or two, and needs no index.
constexpr uint64_t kFewPaths = 100'000;

}  // namespace

bool ensure_index(const Trace& trace, const IndexOptions& options) {
  if (trace.state().value_rows.empty()) return false;
  if (find_index(trace)) return true;
  const bool needed = std::ranges::any_of(
      trace.threads(), [](const ThreadInfo& thread) { return thread.paths > kFewPaths; });
  return needed && build_index(trace, options).has_value();
}

Result<IndexReport> build_index(const Trace& trace, const IndexOptions& options) {
  const auto told = threads_told(trace);
  if (!told) return std::unexpected(told.error());
  auto cache = create_cache(trace, kValueIndex);
  if (!cache) return std::unexpected(std::move(cache.error()));
  IndexWriter writer(std::move(*cache), trace.threads().size());
  uint64_t total = 0;
  for (const uint32_t thread : *told) total += trace.threads()[thread].paths;
  SharedProgress progress(options.progress, total);
  const ProcessAddresses addresses(trace);

  std::mutex mutex;  // guards what follows
  IndexReport report;
  std::optional<Error> error;
  run_parallel(told->size(), [&](size_t, size_t task) {
    Result<void> done;
    IndexReport part;
    try {
      ThreadIndexer indexer(trace, (*told)[task], options.window_statements, writer, progress);
      done = indexer.run(trace, addresses);
      part = indexer.report;
    } catch (const std::bad_alloc&) {
      done = fail(ErrorKind::io, "there is not enough memory to make an index");
    }
    const std::lock_guard lock(mutex);
    report.windows += part.windows;
    report.paths += part.paths;
    report.statements += part.statements;
    if (!done && !error) error = std::move(done.error());
    return !error.has_value();
  });
  if (error) return std::unexpected(std::move(*error));
  const auto bytes = writer.finish(trace.state().store.identity(), options.window_statements);
  if (!bytes) return std::unexpected(bytes.error());
  report.bytes = *bytes;
  report.file = writer.file();
  return report;
}

}  // namespace vestige
