#include "query/dependences/call_names.h"

#include <string>
#include <unordered_map>

namespace vestige {

CallNames::CallNames(const Trace& trace) : trace_(trace) {
  std::unordered_map<std::string_view, uint32_t> numbers;
  for (const Function& function : trace.functions())
    names_.push_back(
        numbers.try_emplace(function.name, static_cast<uint32_t>(numbers.size())).first->second);
  for (const Function& function : trace.functions()) {
    std::vector<uint32_t>& symbols = symbols_.emplace_back();
    for (const std::string& symbol : function.symbols) {
      const auto found = numbers.find(symbol);
      symbols.push_back(found == numbers.end() ? kNone : found->second);
    }
  }
}

bool CallNames::may_call(const Path& caller, uint32_t callee) const {
  const Function& function = trace_.functions()[caller.function];
  const uint32_t call = stopped_at(function, caller);
  if (call == kNone || caller.end == SegmentEnd::sync) return false;
  const uint32_t symbol = function.statements[call].callee;
  return symbol == kNone || symbols_[caller.function][symbol] == names_[callee];
}

uint32_t stopped_at(const Function& function, const Path& path) {
  const Segment& last = function.segments[path.segments.back()];
  if (last.statement_count == 0 || (last.end != SegmentEnd::call && last.end != SegmentEnd::sync &&
                                    last.end != SegmentEnd::tail_call))
    return kNone;
  return last.first_statement + last.statement_count - 1;
}

}  // namespace vestige
