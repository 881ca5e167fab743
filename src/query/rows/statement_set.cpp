#include "query/rows/statement_set.h"

#include <algorithm>

#include "program/derive.h"
#include "vestige/values.h"

namespace vestige {

namespace {

// The statements that end a segment at which paths stop.
std::vector<bool> stops_of(const Function& function) {
  std::vector<bool> stops(function.statements.size());
  for (const Segment& segment : function.segments) {
    const bool stop = segment.end == SegmentEnd::call || segment.end == SegmentEnd::sync ||
                      segment.end == SegmentEnd::tail_call;
    if (stop && segment.statement_count > 0)
      stops[segment.first_statement + segment.statement_count - 1] = true;
  }
  return stops;
}

}  // namespace

StatementSet::StatementSet(const Trace& trace, std::span<const StatementRef> statements) {
  uint64_t count = 0;
  for (const Function& function : trace.functions()) count += function.statements.size();
  bits_.resize(count);
  for (const StatementRef& ref : statements) bits_[statement_id(trace, ref)] = true;
  for (uint32_t f = 0; f < trace.functions().size(); ++f) {
    const Function& function = trace.functions()[f];
    OfFunction found{f, {}};
    for (uint32_t s = 0; s < function.statements.size(); ++s)
      if (bits_[uint64_t{function.first_statement} + s]) found.statements.push_back(s);
    if (found.statements.empty()) continue;
    const std::vector<bool> stops = stops_of(function);
    const std::vector<Source> sources = sources_of(function);
    for (const uint32_t s : found.statements) {
      const bool address = has_address(function, s) && !function.statements[s].operands.empty();
      const bool value = sources[s] != Source::none && sources[s] != Source::called;
      if (stops[s] || !(address || value)) late_or_hidden_.push_back({f, s});
    }
    functions_.push_back(std::move(found));
  }
}

PathStatements path_statements(const Trace& trace, const StatementSet& set, const Path& path) {
  PathStatements found;
  const Function& function = trace.functions()[path.function];
  for (const uint32_t index : path.segments) {
    const Segment& segment = function.segments[index];
    for (uint32_t i = 0; i < segment.statement_count; ++i) {
      const uint32_t s = segment.first_statement + i;
      if (set.bits()[uint64_t{function.first_statement} + s]) found.statements.push_back(s);
    }
  }
  const Segment& last = function.segments[path.segments.back()];
  if (found.statements.empty() || path.leaves || last.statement_count == 0 ||
      (last.end != SegmentEnd::call && last.end != SegmentEnd::sync))
    return found;
  const uint32_t s = last.first_statement + last.statement_count - 1;
  found.waits = found.statements.back() == s &&
                (value_type(function, s).bits != 0 || has_address(function, s) ||
                 has_library_ranges(function, s) || !wide_items(function, s).empty());
  return found;
}

}  // namespace vestige
