#include "trace/windows/windows.h"

#include <unistd.h>

#include <algorithm>
#include <map>

#include "trace/index/index_place.h"
#include "trace/index/window_bytes.h"
#include "trace/state.h"
#include "trace/windows/wet_segments.h"

namespace vestige {

namespace {

class ListedValues final : public ToldValueSource {
 public:
  explicit ListedValues(std::vector<ToldValue> list = {}) : list_(std::move(list)) {}
  bool next(ToldValue& told_value) override {
    if (at_ == list_.size()) return false;
    told_value = list_[at_++];
    return true;
  }

 private:
  std::vector<ToldValue> list_;
  size_t at_ = 0;
};

}  // namespace

Result<uint64_t> WindowEvaluation::run(uint64_t most) {
  // Before its first path the evaluator may be further back: behind the path before a hole.
  const uint64_t done = std::clamp(evaluator_.time(), first_time_ - 1, last_time_);
  const uint64_t left = last_time_ - done;
  auto paths = evaluator_.run(std::min(most, left));
  if (paths && told_ && told_->error()) return std::unexpected(*told_->error());
  return paths;
}

Windows::Windows(const Trace& trace) : trace_(&trace), addresses_(trace) {}
Windows::Windows(Windows&&) noexcept = default;
Windows& Windows::operator=(Windows&&) noexcept = default;
Windows::~Windows() = default;

Result<Windows> Windows::open(const Trace& trace) {
  Windows all(trace);
  all.windows_.resize(trace.threads().size());
  if (!trace.state().value_rows.empty())
    if (auto index = find_index(trace))
      all.index_ = std::make_unique<IndexReader>(std::move(*index));
  if (auto found = all.find_threads(); !found) return std::unexpected(std::move(found.error()));
  return all;
}

Result<Windows> Windows::open(const Trace& trace, const IndexOptions& options) {
  ensure_index(trace, options);
  return open(trace);
}

Result<void> Windows::find_threads() {
  if (index_) {
    for (size_t thread = 0; thread < windows_.size(); ++thread)
      for (const IndexedWindow& window : index_->threads()[thread])
        windows_[thread].push_back({window.first_time, window.last_time});
    if (std::ranges::any_of(windows_, [](const auto& list) { return !list.empty(); })) return {};
    index_.reset();
  }
  if (is_wet(trace_->state())) {
    const auto segments = wet_segments(trace_->state());
    if (!segments) return std::unexpected(segments.error());
    for (size_t thread = 0; thread < windows_.size(); ++thread)
      for (const WetSegment& segment : (*segments)[thread])
        windows_[thread].push_back({segment.first_time, segment.end_time() - 1});
    if (std::ranges::any_of(windows_, [](const auto& list) { return !list.empty(); })) return {};
  }
  const auto told = threads_told(*trace_);
  if (!told) return std::unexpected(told.error());
  for (const uint32_t thread : *told)
    windows_[thread].push_back({trace_->threads()[thread].first_time, UINT64_MAX});
  return {};
}

Result<WindowEvaluation> Windows::begin(uint32_t thread, size_t window) const {
  // Nothing was told in it: this says so.
  if (is_wet(trace_->state()))
    if (const auto told = threads_told(*trace_); !told) return std::unexpected(told.error());
  auto source = std::make_unique<ListedValues>();
  auto evaluator = Evaluator::open(*trace_, thread, addresses_.inputs(thread, source.get()));
  if (!evaluator) return std::unexpected(std::move(evaluator.error()));
  WindowEvaluation evaluation(thread, std::move(source), std::move(*evaluator));
  if (auto there = go_to(evaluation, window); !there)
    return std::unexpected(std::move(there.error()));
  return evaluation;
}

Result<void> Windows::go_to(WindowEvaluation& evaluation, size_t window) const {
  if (window >= of(evaluation.thread_).size())
    return fail(ErrorKind::usage, trace_->file() + ": thread " +
                                      std::to_string(evaluation.thread_) + " has no window " +
                                      std::to_string(window));
  evaluation.first_time_ = of(evaluation.thread_)[window].first_time;
  evaluation.last_time_ = of(evaluation.thread_)[window].last_time;
  if (index_) {
    if (restore(evaluation, window)) return {};
    distrust();
  }
  return replay(evaluation, window);
}

// False when the index is no good there.
bool Windows::restore(WindowEvaluation& evaluation, size_t window) const {
  const uint32_t thread = evaluation.thread_;
  const auto bytes = index_->window(index_->threads()[thread][window]);
  auto record = bytes ? decode_window(*bytes) : std::unexpected(bytes.error());
  if (!record) return false;
  // The thread's beginning may stand for its first window only. Only forked threads have something
  // before that.
  const Keyframe& keyframe = record->keyframe;
  if (keyframe.beginning != (window == 0) && !forked_from(*trace_, thread)) return false;
  if (keyframe.beginning && window != 0) return false;
  if (!keyframe.beginning && window == 0 && keyframe.time + 1 != of(thread)[0].first_time)
    return false;
  if (!keyframe.beginning && window != 0 &&
      (keyframe.time < of(thread)[window - 1].first_time ||
       keyframe.time != of(thread)[window - 1].last_time))
    return false;
  std::unique_ptr<ToldValueSource> source;
  evaluation.told_ = nullptr;
  if (record->told) {
    source = std::make_unique<ListedValues>(std::move(*record->told));
  } else {
    auto told = std::make_unique<ToldValues>(trace_->state(), thread);
    ToldValue skipped;
    for (uint64_t i = 0; i < record->told_before; ++i)
      if (!told->next(skipped)) break;
    evaluation.told_ = told.get();
    source = std::move(told);
  }
  const bool there = evaluation.evaluator_.go_to(record->keyframe, *source).has_value();
  evaluation.source_ = std::move(source);
  return there;
}

// From the thread's beginning, without the index.
Result<void> Windows::replay(WindowEvaluation& evaluation, size_t window) const {
  auto told = std::make_unique<ToldValues>(trace_->state(), evaluation.thread_);
  evaluation.told_ = told.get();
  auto there = evaluation.evaluator_.go_to(Keyframe{}, *told);
  evaluation.source_ = std::move(told);
  if (there) there = evaluation.evaluator_.inherit();
  if (!there || window == 0) return there;
  return evaluation.evaluator_.skip_to(of(evaluation.thread_)[window - 1].last_time);
}

// Something in the index is not what it was: it goes, and the next one to need it makes it anew.
// (This one goes on with what is sound of it.)
void Windows::distrust() const { ::unlink(index_->file().c_str()); }

Result<std::vector<PathCount>> Windows::counts(uint32_t thread, size_t window) const {
  if (index_) {
    const IndexedWindow& indexed = index_->threads()[thread][window];
    if (indexed.complete) {
      const auto bytes = index_->counts(indexed);
      auto counts = bytes ? decode_counts(*bytes) : std::unexpected(bytes.error());
      if (counts) return counts;
      distrust();
    }
  }
  return walk_counts(thread, of(thread)[window]);
}

Result<std::vector<PathCount>> Windows::walk_counts(uint32_t thread, const Window& window) const {
  auto cursor = trace_->walk(thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  cursor->skip_damage();
  cursor->stand_before(window.first_time);
  std::map<uint32_t, uint64_t> found;
  while (cursor->next() && cursor->time() <= window.last_time) ++found[cursor->path().id];
  std::vector<PathCount> counts;
  for (const auto& [path, count] : found) counts.push_back({path, count});
  return counts;
}

Result<std::vector<uint64_t>> Windows::executions(uint32_t thread, size_t window, uint32_t function,
                                                  std::span<const uint32_t> statements) const {
  std::vector<uint64_t> executions(statements.size());
  const auto counts = this->counts(thread, window);
  if (!counts) return std::unexpected(counts.error());
  const Function& described = trace_->functions()[function];
  auto at = std::ranges::lower_bound(*counts, described.first_path, {}, &PathCount::path);
  for (; at != counts->end() && at->path - described.first_path < described.path_count; ++at) {
    const Path* path = trace_->path(at->path);
    if (!path || path->function != function) continue;
    for (const uint32_t s : path->segments) {
      const Segment& segment = described.segments[s];
      for (size_t i = 0; i < statements.size(); ++i)
        if (statements[i] - segment.first_statement < segment.statement_count)
          executions[i] += at->count;
    }
  }
  return executions;
}

}  // namespace vestige
