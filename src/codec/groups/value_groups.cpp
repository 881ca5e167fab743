#include "codec/groups/value_groups.h"

#include <algorithm>

#include "codec/groups/selected_stream.h"

namespace vestige {

uint64_t ValueGroupEncoder::hash_of(const uint64_t* row) const {
  uint64_t hash = 0;
  for (size_t i = 0; i < columns_; ++i) {
    hash = (hash ^ row[i]) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

void ValueGroupEncoder::grow() {
  std::vector<uint32_t> larger(table_.empty() ? 8 : table_.size() * 2);
  const size_t mask = larger.size() - 1;
  for (uint32_t number = 0; number < combinations(); ++number) {
    size_t at = hash_of(values_.data() + size_t{number} * columns_) & mask;
    while (larger[at] != 0) at = (at + 1) & mask;
    larger[at] = number + 1;
  }
  table_ = std::move(larger);
}

void ValueGroupEncoder::append(std::span<const uint64_t> row) {
  if (columns_ == 0) return;
  if (combinations() * 2 >= table_.size()) grow();
  const size_t mask = table_.size() - 1;
  size_t at = hash_of(row.data()) & mask;
  for (; table_[at] != 0; at = (at + 1) & mask) {
    const size_t number = table_[at] - 1;
    if (std::equal(row.begin(), row.end(), values_.begin() + ptrdiff_t(number * columns_))) {
      pattern_.push_back(static_cast<uint32_t>(number));
      return;
    }
  }
  const auto number = static_cast<uint32_t>(combinations());
  table_[at] = number + 1;
  values_.insert(values_.end(), row.begin(), row.end());
  pattern_.push_back(number);
}

Bytes ValueGroupEncoder::finish() {
  ByteWriter out;
  const uint64_t count = combinations();
  out.varint(columns_);
  out.varint(count);
  out.varint(rows());
  std::vector<uint64_t> stream(count);
  for (size_t c = 0; c < columns_; ++c) {
    for (size_t i = 0; i < count; ++i) stream[i] = values_[i * columns_ + c];
    encode_selected(stream, out);
  }
  stream.assign(pattern_.begin(), pattern_.end());
  encode_selected(stream, out);
  clear();
  return out.take();
}

void ValueGroupEncoder::clear() {
  values_ = {};
  pattern_ = {};
  table_ = {};
}

Result<std::vector<std::vector<uint64_t>>> decode_value_group(ByteView bytes, uint64_t most_rows,
                                                              uint64_t most_columns) {
  ByteReader in(bytes);
  const uint64_t columns = in.varint(), combinations = in.varint(), rows = in.varint();
  const auto bad = [] { return fail(ErrorKind::corrupt, "the value group is damaged"); };
  if (in.failed() || columns > most_columns || rows > most_rows || combinations > rows)
    return bad();
  std::vector<std::vector<uint64_t>> values;
  for (uint64_t c = 0; c < columns; ++c) {
    auto column = decode_selected(in, combinations);
    if (!column) return std::unexpected(std::move(column.error()));
    if (column->size() != combinations) return bad();
    values.push_back(std::move(*column));
  }
  const auto pattern = decode_selected(in, rows);
  if (!pattern) return std::unexpected(pattern.error());
  if (pattern->size() != rows || in.failed() || in.remaining() != 0) return bad();
  std::vector<std::vector<uint64_t>> out;
  for (const uint64_t number : *pattern) {
    if (number >= combinations) return bad();
    std::vector<uint64_t>& row = out.emplace_back();
    for (const std::vector<uint64_t>& column : values) row.push_back(column[number]);
  }
  return out;
}

}  // namespace vestige
