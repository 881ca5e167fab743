// Where functions and the symbols they name lay in each recorded process. Processes that have a
// module at the same place share its table of addresses; others have tables of their own.
#pragma once

#include <vector>

#include "trace/eval/inputs.h"
#include "vestige/trace.h"

namespace vestige {

class ProcessAddresses {
 public:
  // Reads the events of all threads.
  explicit ProcessAddresses(const Trace& trace);

  // Like Trace::functions(). Nothing is known of modules that the process had at several places.
  const std::vector<FunctionAddresses>& of(uint32_t process) const {
    return lists_[process < of_process_.size() ? of_process_[process] : 0];
  }

 private:
  std::vector<size_t> of_process_;                     // in lists_
  std::vector<std::vector<FunctionAddresses>> lists_;  // those that differ
};

}  // namespace vestige
