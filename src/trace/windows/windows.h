// A full recording in windows of time, each of which can be evaluated alone.
//
// Threads of which values were told consist of windows that follow each other without overlap;
// other threads have none. Windows are what the trace's index makes of them (trace/index): each
// ends with the path that reaches a million statements or so, and where paths are missing. Without
// an index a thread is one window.
//
// What a path stops at, a call or a synchronization operation, is seen when its activation goes on
// (eval/observer.h): that may be in a later window than the path's own.
//
// Immutable: any number of threads may use one Windows, each with its own evaluations.
#pragma once

#include <algorithm>
#include <memory>
#include <span>

#include "trace/eval/evaluator.h"
#include "trace/told/process_addresses.h"
#include "trace/told/told.h"
#include "vestige/index.h"

namespace vestige {

class IndexReader;
struct WindowRecord;

struct Window {
  uint64_t first_time = 1;
  uint64_t last_time = UINT64_MAX;  // included
};

// The evaluation of one window, before its first path.
class WindowEvaluation {
 public:
  Evaluator& evaluator() { return evaluator_; }
  const Evaluator& evaluator() const { return evaluator_; }
  // Up to this many paths of the window; how many there were. Damage of the told values is an
  // error.
  Result<uint64_t> run(uint64_t most = UINT64_MAX);
  // Of a trace that grows, whose threads are one window each: its last path is this one, for now.
  Result<void> go_on_until(uint64_t last_time) {
    last_time_ = last_time;
    return evaluator_.catch_up();
  }
  // The same path again: Evaluator::go_round, inside of the window.
  uint64_t go_round(uint64_t most, std::vector<uint64_t>& steps) {
    return evaluator_.time() >= last_time_
               ? 0
               : evaluator_.go_round(std::min(most, last_time_ - evaluator_.time()), steps);
  }
  // And Evaluator::find_nest.
  bool find_nest(uint64_t most, Evaluator::Nest& nest) {
    return evaluator_.time() < last_time_ &&
           evaluator_.find_nest(std::min(most, last_time_ - evaluator_.time()), nest);
  }
  // And what goes over rows.
  uint64_t find_rows(uint64_t most) {
    return evaluator_.time() < last_time_
               ? evaluator_.find_rows(std::min(most, last_time_ - evaluator_.time()))
               : 0;
  }
  uint64_t go_over_rows(uint64_t most, uint64_t multiple) {
    return evaluator_.time() < last_time_
               ? evaluator_.go_over_rows(std::min(most, last_time_ - evaluator_.time()), multiple)
               : 0;
  }

 private:
  friend class Windows;
  WindowEvaluation(uint32_t thread, std::unique_ptr<ToldValueSource> source, Evaluator evaluator)
      : thread_(thread), source_(std::move(source)), evaluator_(std::move(evaluator)) {}
  uint32_t thread_;
  std::unique_ptr<ToldValueSource> source_;
  const ToldValues* told_ = nullptr;  // the source, when it reads the trace's own values
  Evaluator evaluator_;
  uint64_t first_time_ = 1, last_time_ = 0;
};

class Windows {
 public:
  // The trace must outlive it. ErrorKind::unsupported when no value was told. Uses the index when
  // there is one.
  static Result<Windows> open(const Trace& trace);
  // Makes it first when it is missing and needed (ensure_index).
  static Result<Windows> open(const Trace& trace, const IndexOptions& options);

  Windows(Windows&&) noexcept;
  Windows& operator=(Windows&&) noexcept;
  ~Windows();

  std::span<const Window> of(uint32_t thread) const { return windows_[thread]; }
  bool indexed() const { return index_ != nullptr; }
  Result<WindowEvaluation> begin(uint32_t thread, size_t window) const;
  // The same on an evaluation of another window of the thread, which keeps its observer and what it
  // has compiled. After a failure the evaluation is of no more use.
  Result<void> go_to(WindowEvaluation& evaluation, size_t window) const;
  // How often each path runs in the window, by rising path id.
  Result<std::vector<PathCount>> counts(uint32_t thread, size_t window) const;
  // How often the window's paths execute each of these statements of a function.
  Result<std::vector<uint64_t>> executions(uint32_t thread, size_t window, uint32_t function,
                                           std::span<const uint32_t> statements) const;

 private:
  explicit Windows(const Trace& trace);
  Result<void> find_threads();
  bool restore(WindowEvaluation& evaluation, size_t window) const;
  Result<void> replay(WindowEvaluation& evaluation, size_t window) const;
  Result<std::vector<PathCount>> walk_counts(uint32_t thread, const Window& window) const;
  void distrust() const;

  const Trace* trace_;
  ProcessAddresses addresses_;
  std::vector<std::vector<Window>> windows_;  // per thread
  std::unique_ptr<IndexReader> index_;
};

}  // namespace vestige
