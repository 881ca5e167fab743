// Where functions and the symbols they name lay in each recorded process. Processes that have a
// module at the same place share its table of addresses; others have tables of their own.
//
// A process may have a module at several places, one after the other: a library that it unloads and
// loads again. The thread that does this knows which one is meant at any time; its other threads do
// not, since nothing says when in their time that was.
#pragma once

#include <vector>

#include "trace/told/inputs.h"
#include "vestige/trace.h"

namespace vestige {

class ProcessAddresses {
 public:
  // Reads the events of all threads. The trace must outlive it.
  explicit ProcessAddresses(const Trace& trace);
  ProcessAddresses(ProcessAddresses&&) = default;
  ProcessAddresses& operator=(ProcessAddresses&&) = default;

  // Like Trace::functions(). Nothing is known of modules that the process had at several places.
  const std::vector<FunctionAddresses>& of(uint32_t process) const {
    return lists_[process < of_process_.size() ? of_process_[process] : 0];
  }
  // For an evaluation of the thread, which must not outlive this.
  EvaluationInputs inputs(uint32_t thread, ToldValueSource* told_values) const {
    return {&of(trace_->threads()[thread].process), told_values, &moves_[thread]};
  }

 private:
  const Trace* trace_;
  std::vector<size_t> of_process_;                     // in lists_
  std::vector<std::vector<FunctionAddresses>> lists_;  // those that differ
  std::vector<std::vector<FunctionAddresses>> moved_;  // what moves point to
  std::vector<ModuleMoves> moves_;                     // by thread
};

}  // namespace vestige
