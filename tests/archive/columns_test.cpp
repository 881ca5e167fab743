#include "archive/columns.h"

#include <gtest/gtest.h>

#include "archive/trace_format.h"
#include "delta_codec.h"

namespace vestige {
namespace {

// A byte at a time, as the format is defined.
uint64_t plain_field(const Bytes& raw, size_t at, size_t width) {
  uint64_t value = 0;
  for (size_t i = 0; i < width; ++i) value |= uint64_t{raw[at + i]} << (8 * i);
  return value;
}

TEST(Columns, SplitAndMergeAgreeWithThePlainReading) {
  for (const char* text : {"vpc", "cf", "refs", "u64", "u8", "record:1,2,3,4,5,6,7,8", "record:7,3",
                           "record:2,8,2", "record:5"}) {
    const RecordLayout layout = parse_trace_format(text)->layout;
    for (const size_t rows : {0, 1, 2, 13, 1365, 1366, 5000}) {
      const Bytes raw = trace_like(rows * layout.width(), rows);
      RecordBlock block;
      split_rows(layout, raw, block);
      ASSERT_EQ(block.rows, rows);
      for (size_t row = 0, at = 0; row < rows; ++row)
        for (size_t f = 0; f < layout.fields.size(); ++f) {
          ASSERT_EQ(block.columns[f][row], plain_field(raw, at, layout.fields[f].width)) << text;
          at += layout.fields[f].width;
        }
      Bytes merged = {1, 2, 3};
      merge_rows(layout, block, merged);
      EXPECT_EQ(merged, raw) << text;
    }
  }
}

}  // namespace
}  // namespace vestige
