// A full recording in windows of time, each of which can be evaluated alone.
//
// Threads of which values were told consist of windows that follow each other without overlap;
// other threads have none. A window is at most what its index makes of it (one sequential
// evaluation writes keyframes); without an index a thread is one window.
//
// Immutable: any number of threads may use one Windows, each with its own evaluations.
#pragma once

#include <memory>
#include <span>

#include "trace/eval/evaluator.h"
#include "trace/told.h"

namespace vestige {

struct Window {
  uint64_t first_time = 1;
  uint64_t last_time = UINT64_MAX;  // included
};

// The evaluation of one window, before its first path.
class WindowEvaluation {
 public:
  WindowEvaluation(std::unique_ptr<ToldValues> told, Evaluator evaluator, uint64_t last_time);
  Evaluator& evaluator() { return evaluator_; }
  // Up to this many paths of the window; how many there were. Damage of the told values is an error.
  Result<uint64_t> run(uint64_t most = UINT64_MAX);

 private:
  std::unique_ptr<ToldValues> told_;
  Evaluator evaluator_;
  uint64_t last_time_;
};

class Windows {
 public:
  // The trace must outlive it. ErrorKind::unsupported when no value was told.
  static Result<Windows> open(const Trace& trace);

  std::span<const Window> of(uint32_t thread) const { return windows_[thread]; }
  Result<WindowEvaluation> begin(uint32_t thread, size_t window) const;
  // How often the window's paths execute each of these statements of a function.
  Result<std::vector<uint64_t>> executions(uint32_t thread, size_t window, uint32_t function,
                                           std::span<const uint32_t> statements) const;

 private:
  explicit Windows(const Trace& trace) : trace_(&trace) {}
  const Trace* trace_;
  std::vector<FunctionAddresses> addresses_;
  std::vector<std::vector<Window>> windows_;  // per thread
};

}  // namespace vestige
