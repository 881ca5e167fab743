#include "memory_rows.h"

#include "output.h"
#include "slice_rows.h"
#include "trace_query.h"

namespace vestige::cli {

namespace {
constexpr size_t kFewRows = 100;
}

void MemoryRows::add(const Slice& slice) {
  for (const SliceInstance& member : slice.instances)
    if (member.reason != SliceReason::criterion) add(member);
}

void MemoryRows::print() const {
  Output out;
  size_t rows = 0;
  for (const SliceInstance& row : rows_) {
    if (presentation_.format() == Format::json) {
      out.json(member_json(trace_, row));
    } else {
      if (!all_ && rows >= kFewRows) break;
      out.print("{}\n", member_text(trace_, row));
    }
    ++rows;
  }
  if (rows_.size() > rows) out.text(more_text(rows_.size() - rows, "executions"));
}

}  // namespace vestige::cli
