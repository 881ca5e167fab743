// Everything that a stored whole execution trace keeps, walked once.
#include <algorithm>

#include "query/dependences/block_cursor.h"
#include "query/dependences/dependences.h"
#include "query/rows/row_source.h"
#include "query/wet/value_field.h"
#include "trace/windows/wet_segments.h"
#include "vestige/wet.h"

namespace vestige {

namespace {

Result<uint64_t> check_values(const Trace& trace) {
  auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(std::move(windows.error()));
  const StatementSet set(trace, all_kept(trace));
  uint64_t count = 0;
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    if (windows->of(thread).empty()) continue;
    auto source = open_rows(trace, *windows, set, {.thread = thread});
    if (!source) return std::unexpected(std::move(source.error()));
    std::vector<Observation> rows;
    while (true) {
      rows.clear();
      const auto read = (*source)->read(rows);
      if (!read) return std::unexpected(read.error());
      if (!*read) break;
      for (const Observation& row : rows) count += row.has_value + row.has_address;
    }
  }
  return count;
}

Result<void> check_edges(const Trace& trace) {
  const auto dependences = open_dependences(trace);
  if (!dependences) return std::unexpected(dependences.error());
  const CallNames names(trace);
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    DependenceBlockCursor cursor(trace, names, *dependences, thread);
    for (size_t block = 0; block < cursor.places().size(); ++block)
      if (auto gone = cursor.go_to(block); !gone) return gone;
  }
  return {};
}

}  // namespace

bool is_wet(const Trace& trace) { return is_wet(trace.state()); }

Result<WetCheck> check_wet(const Trace& trace) {
  WetCheck check;
  if (!is_wet(trace)) return check;
  const auto values = check_values(trace);
  if (!values && values.error().kind != ErrorKind::corrupt) return std::unexpected(values.error());
  if (values)
    check.values = *values;
  else
    check.problems.push_back(values.error().message);
  const auto edges = check_edges(trace);
  if (!edges && edges.error().kind != ErrorKind::corrupt) return std::unexpected(edges.error());
  if (!edges) check.problems.push_back(edges.error().message);
  return check;
}

}  // namespace vestige
