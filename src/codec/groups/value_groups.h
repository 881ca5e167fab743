// Value groups (WET, section 3.2): the values that a group of statements computes in each execution
// of a path, as the different combinations of them and a pattern.
//
// The idea: statements of a path that depend on the same inputs compute the same whenever the
// inputs are the same, so one number per execution (which of the combinations it was) stands for
// the values of all of them.
//
//     group := varint columns, varint combinations, varint rows, column*, pattern
//     column, pattern := selected (selected_stream.h): the column's value in each combination, in
//              the order of their first row; the number of each row's combination
//
// Memory while encoding: the combinations, a table over them, and four bytes a row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "vestige/result.h"

namespace vestige {

class ValueGroupEncoder {
 public:
  explicit ValueGroupEncoder(size_t columns) : columns_(columns) {}

  // The values of one execution: as many as there are columns.
  void append(std::span<const uint64_t> row);
  size_t columns() const { return columns_; }
  uint64_t rows() const { return pattern_.size(); }
  uint64_t combinations() const { return columns_ == 0 ? 0 : values_.size() / columns_; }
  size_t bytes() const {  // of memory
    return values_.capacity() * 8 + pattern_.capacity() * 4 + table_.capacity() * 4;
  }
  // The combinations, one behind the other, and the number of each row's.
  std::span<const uint64_t> values() const { return values_; }
  std::span<const uint32_t> pattern() const { return pattern_; }
  // Everything that was appended; the encoder is empty afterwards.
  Bytes finish();
  void clear();

 private:
  void grow();
  uint64_t hash_of(const uint64_t* row) const;

  size_t columns_;
  std::vector<uint64_t> values_;   // combination by combination
  std::vector<uint32_t> pattern_;  // by row
  std::vector<uint32_t> table_;    // open addressing; a combination's number + 1
};

// Row by row. More rows or columns than given are an error.
Result<std::vector<std::vector<uint64_t>>> decode_value_group(ByteView bytes, uint64_t most_rows,
                                                              uint64_t most_columns);

}  // namespace vestige
