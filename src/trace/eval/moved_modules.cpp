#include "trace/eval/moved_modules.h"

#include <algorithm>

namespace vestige {

namespace {

// A forked process has its parent's addresses.
uint32_t lineage(const Trace& trace, uint32_t process) {
  const auto& processes = trace.processes();
  for (size_t steps = 0; steps < processes.size(); ++steps) {
    if (process >= processes.size() || processes[process].forked_from == kNone) break;
    process = processes[process].forked_from;
  }
  return process;
}

}  // namespace

std::vector<bool> moved_modules(const Trace& trace, uint32_t process) {
  const uint32_t own = lineage(trace, process);
  struct Loads {
    uint32_t first = kNone;  // process
    uint64_t own = 0;
  };
  std::vector<Loads> loads(trace.modules().size());
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    const uint32_t by = lineage(trace, trace.threads()[thread].process);
    const auto events = trace.events(thread);
    if (!events) continue;  // damaged: who walks that thread will say so
    for (const TraceEvent& event : *events) {
      if (event.kind != TraceEvent::Kind::module_load || event.numbers.empty() ||
          event.numbers[0] >= loads.size())
        continue;
      Loads& module = loads[event.numbers[0]];
      module.first = std::min(module.first, by);
      module.own += by == own;
    }
  }
  std::vector<bool> moved;
  for (const Loads& module : loads)
    moved.push_back(module.own > 1 || (module.own > 0 && module.first != own));
  return moved;
}

}  // namespace vestige
