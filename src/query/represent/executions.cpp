#include "query/represent/executions.h"

#include "vestige/values.h"

namespace vestige {

std::vector<uint32_t> AddressedStatements::find(const Path& path) const {
  std::vector<uint32_t> found;
  const Function& function = trace_->functions()[path.function];
  for (const uint32_t s : path.segments) {
    const Segment& segment = function.segments[s];
    for (uint32_t i = 0; i < segment.statement_count; ++i) {
      const uint32_t statement = segment.first_statement + i;
      if (!function.statements[statement].pseudo && has_address(function, statement))
        found.push_back(function.first_statement + statement);
    }
  }
  return found;
}

Result<Executions> Executions::open(const Trace& trace, uint32_t thread) {
  auto cursor = trace.walk(thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  return Executions(trace, std::move(*cursor));
}

Executions::Executions(const Trace& trace, PathCursor cursor)
    : cursor_(std::move(cursor)), statements_(trace) {
  cursor_.skip_damage();
  more_ = cursor_.next();
  uint64_t end = 0;
  for (const Function& function : trace.functions())
    end = std::max<uint64_t>(end, function.first_statement + function.statements.size());
  counts_.resize(end);
}

}  // namespace vestige
