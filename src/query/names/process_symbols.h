// Where the symbols that functions name lay in the process of a thread.
#pragma once

#include <algorithm>
#include <vector>

#include "trace/told/process_addresses.h"
#include "vestige/trace.h"

namespace vestige {

// By function of the trace, like Function::symbols; 0, or no list: not known.
inline std::vector<std::vector<uint64_t>> symbols_of(const Trace& trace,
                                                     const ProcessAddresses& addresses,
                                                     uint32_t thread) {
  const auto& known = addresses.of(trace.threads()[thread].process);
  std::vector<std::vector<uint64_t>> list(trace.functions().size());
  for (size_t f = 0; f < list.size() && f < known.size(); ++f)
    if (known[f].known) list[f] = known[f].symbols;
  return list;
}

// Whether it is the first thread of a process that was not forked: before its first path globals
// hold what they begin with.
inline bool begins_process(const Trace& trace, uint32_t thread) {
  const auto& threads = trace.threads();
  const uint32_t process = threads[thread].process;
  for (uint32_t t = 0; t < thread; ++t)
    if (threads[t].process == process) return false;
  return threads[thread].first_time <= 1 &&
         (process >= trace.processes().size() || trace.processes()[process].forked_from == kNone);
}

inline bool is_alone(const Trace& trace, uint32_t thread) {
  const auto& threads = trace.threads();
  return std::ranges::count(threads, threads[thread].process, &ThreadInfo::process) == 1;
}

}  // namespace vestige
