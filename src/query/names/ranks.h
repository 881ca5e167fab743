// Which rank of a parallel run a thread was in. Processes are numbered by rank where they can be;
// the meta data names the others (docs/format.md).
#pragma once

#include <map>

#include "vestige/trace.h"

namespace vestige {

class Ranks {
 public:
  // The trace must outlive it.
  explicit Ranks(const Trace& trace);
  // Of a recording that is not of a parallel run: its process.
  uint32_t of(uint32_t thread) const {
    const uint32_t process = trace_.threads()[thread].process;
    const auto named = named_.find(process);
    return named == named_.end() ? process : named->second;
  }

 private:
  const Trace& trace_;
  std::map<uint32_t, uint32_t> named_;  // by process
};

}  // namespace vestige
