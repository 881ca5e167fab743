// A value group of a whole execution trace as bytes that are read column by column (WET, sections
// 3.2 and 4): what value_groups.h collects.
//
//   group   := varint combinations, pattern, column*
//   pattern := u8 form: 0: every row has combination 0
//                       1: row n has combination n
//                       2, then selected: the combination of each row
//   column  := u8 form: 0, varint: this value in every combination
//                       1, varint: what this earlier column has
//                       2, then selected: the value in each combination
//
// How many rows and columns there are is known to who reads it. Columns that are the same are kept
// once: what is stored is often what was computed, and where is often an operand's value.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "codec/groups/selected_stream.h"
#include "codec/groups/value_groups.h"

namespace vestige {

void write_group(const ValueGroupEncoder& group, ByteWriter& out);

// Goes through the rows of a group, forwards and backwards. Patterns are walked on the compressed
// form; a column that is asked for is unpacked, its different values once each.
//
// One owner thread. The bytes must outlive it.
class GroupCursor {
 public:
  // Stops behind the group.
  static Result<GroupCursor> open(ByteReader& in, uint64_t rows, uint64_t columns);

  uint64_t rows() const { return rows_; }
  uint64_t columns() const { return columns_.size(); }
  uint64_t combinations() const { return combinations_; }
  // Must succeed before at(…, column).
  Result<void> need(size_t column);
  // The combination of a row; rows that follow each other either way are cheap.
  Result<uint64_t> combination(uint64_t row);
  uint64_t at(uint64_t combination, size_t column) const {
    const Column& of = columns_[columns_[column].as];
    return of.form == Form::same ? of.value : of.values[combination];
  }

 private:
  enum class Form : uint8_t { same = 0, as = 1, selected = 2 };
  struct Column {
    Form form = Form::same;
    size_t as = 0;  // the column that has the values: itself, or an earlier one
    uint64_t value = 0;
    SelectedStream stream;
    std::vector<uint64_t> values;
    bool unpacked = false;
  };
  uint64_t rows_ = 0, combinations_ = 0;
  uint8_t pattern_form_ = 0;
  SelectedStream pattern_;
  std::unique_ptr<StreamCursor> cursor_;  // on it
  std::vector<Column> columns_;
};

}  // namespace vestige
