#include "query/variables/global_names.h"

#include <algorithm>
#include <tuple>

#include "query/variables/variable_parts.h"
#include "trace/state.h"
#include "trace/told/process_addresses.h"

namespace vestige::races {

GlobalNames::GlobalNames(const Trace& trace) : trace_(&trace) {
  // Names are those of the first process: others have their globals at the same places, or are
  // other programs.
  const ProcessAddresses processes(trace);
  const std::vector<FunctionAddresses>& addresses = processes.of(0);
  for (uint32_t f = 0; f < trace.functions().size() && f < addresses.size(); ++f) {
    const Function& function = trace.functions()[f];
    for (uint32_t s = 0; s < function.symbols.size() && s < addresses[f].symbols.size(); ++s)
      if (addresses[f].symbols[s] != 0)
        symbols_.emplace(addresses[f].symbols[s], function.symbols[s]);
    for (uint32_t v = 0; v < function.variables.size(); ++v) {
      const Variable& variable = function.variables[v];
      if (variable.symbol == kNone || variable.symbol >= addresses[f].symbols.size()) continue;
      const uint64_t first = addresses[f].symbols[variable.symbol];
      const uint64_t bytes = function.source_types[variable.type].bytes;
      if (first != 0 && bytes != 0) entries_.push_back({first, bytes, f, v});
    }
  }
  std::ranges::sort(entries_, {}, [](const Entry& entry) {
    return std::tuple(entry.first, entry.function, entry.variable);
  });
  const auto same = std::ranges::unique(entries_, {}, &Entry::first);
  entries_.erase(same.begin(), same.end());
}

size_t GlobalNames::whole(uint64_t address) const {
  const auto behind = std::ranges::upper_bound(entries_, address, {}, &Entry::first);
  if (behind == entries_.begin() || address - behind[-1].first >= behind[-1].bytes) return 0;
  return static_cast<size_t>(behind - entries_.begin());
}

std::string GlobalNames::at(uint64_t address, uint64_t bytes) const {
  const size_t number = whole(address);
  if (number == 0) {
    const auto symbol = symbols_.find(address);
    return symbol == symbols_.end() ? std::string() : symbol->second;
  }
  const Entry& entry = entries_[number - 1];
  const Function& function = trace_->functions()[entry.function];
  const Variable& variable = function.variables[entry.variable];
  std::string text = variable.name;
  const uint64_t within = address - entry.first;
  smallest_part(function, vestige::whole(function, variable.type), 8 * within,
                8 * std::min(bytes, entry.bytes - within), false, text);
  return text;
}

}  // namespace vestige::races
