#include "rows/memory_rows.h"

#include "output.h"
#include "rows/slice_rows.h"
#include "trace_query.h"

namespace vestige::cli {

void MemoryRows::add(const Slice& slice) {
  for (const SliceInstance& member : slice.instances)
    if (member.reason != SliceReason::criterion) add(member);
}

void MemoryRows::print() const {
  Output out;
  size_t rows = 0;
  if (presentation_.format() != Format::human)
    return print_members(trace_, rows_, presentation_.format(), out);
  for (const SliceInstance& row : rows_) {
    if (!all_ && rows >= kShortRows) break;
    out.print("{}\n", member_text(trace_, row));
    ++rows;
  }
  if (rows_.size() > rows) out.more(more_text(rows_.size() - rows, "executions"));
}

}  // namespace vestige::cli
