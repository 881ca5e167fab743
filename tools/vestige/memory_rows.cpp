#include "memory_rows.h"

#include <utility>

#include "output.h"
#include "slice_rows.h"
#include "trace_query.h"

namespace vestige::cli {

namespace {

// The values of `member_json`.
void print_member_csv(const nlohmann::ordered_json& row, Output& out) {
  bool first = true;
  for (const auto& field : row) {
    if (!std::exchange(first, false)) out.put(',');
    if (field.is_null()) continue;
    out.text(csv_field(field.is_string() ? field.get<std::string>() : field.dump()));
  }
  out.put('\n');
  out.row_done();
}

}  // namespace

void MemoryRows::add(const Slice& slice) {
  for (const SliceInstance& member : slice.instances)
    if (member.reason != SliceReason::criterion) add(member);
}

void MemoryRows::print() const {
  Output out;
  size_t rows = 0;
  if (presentation_.csv)
    out.text("id,thread,instance,time,function,file,line,value,address,reason\n");
  for (const SliceInstance& row : rows_) {
    if (presentation_.csv) {
      print_member_csv(member_json(trace_, row), out);
    } else if (presentation_.json) {
      out.json(member_json(trace_, row));
    } else {
      if (!all_ && rows >= kShortRows) break;
      out.print("{}\n", member_text(trace_, row));
    }
    ++rows;
  }
  if (rows_.size() > rows) out.more(more_text(rows_.size() - rows, "executions"));
}

}  // namespace vestige::cli
