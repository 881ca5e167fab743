// What answers rows and dependences: an evaluation, or a stored whole execution trace. Those who
// ask see row_source.h and dependences.h and need not know which.
#include "query/dependences/dependences.h"
#include "query/rows/row_source.h"
#include "query/wet/wet_edges.h"
#include "query/wet/wet_rows.h"
#include "trace/state.h"
#include "trace/windows/wet_segments.h"

namespace vestige {

Result<std::unique_ptr<RowSource>> open_rows(const Trace& trace, const Windows& windows,
                                             const StatementSet& set, const RowRange& range) {
  const bool any = range.first_window < windows.of(range.thread).size();
  if (any && is_wet(trace.state())) return open_wet_rows(trace, set, range);
  return open_evaluated_rows(trace, windows, set, range);
}

Result<DependenceReader> open_dependences(const Trace& trace) {
  return is_wet(trace.state()) ? open_wet_edges(trace) : open_evaluated_dependences(trace);
}

}  // namespace vestige
