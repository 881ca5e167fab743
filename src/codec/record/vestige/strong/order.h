// Which order suits a trace (strong.h): the one that level 7 codes the first rows in fewer bytes
// by.
#pragma once

#include <algorithm>

#include "codec/record/vestige/strong/coder.h"
#include "codec/record/vestige/strong/columns.h"

namespace vestige::strong {

inline ColumnOrder suited_order(const RecordLayout& layout, const RecordBlock& first) {
  constexpr size_t kSample = 64 * 1024;
  constexpr size_t kMargin = 16;  // columns are the better guess where both are nearly free
  if (!layout.pc_field() || layout.fields.size() != 2) return ColumnOrder::columns;
  RecordBlock sample;
  sample.rows = std::min(first.rows, kSample);
  for (const auto& column : first.columns)
    sample.columns.emplace_back(column.begin(),
                                column.begin() + static_cast<ptrdiff_t>(sample.rows));
  const auto bytes_by = [&](ColumnOrder order) {
    Columns<7> columns(layout);
    size_t bytes = 0;
    for (size_t i = 0; i < columns.size(); ++i) {
      FineEncoder coder;
      columns.code(coder, i, order, sample.columns[columns.field(0)], sample,
                   std::span<const uint64_t>(sample.columns[columns.field(i)]), nullptr);
      bytes += coder.finish().size();
    }
    return bytes;
  };
  return bytes_by(ColumnOrder::rows) + kMargin < bytes_by(ColumnOrder::columns)
             ? ColumnOrder::rows
             : ColumnOrder::columns;
}

}  // namespace vestige::strong
